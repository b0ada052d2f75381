export { type ApiError, apiErrorBody, type ErrorDialect, errorDialectOf } from "./api-error.ts";
export { type ApiKey, ApiKeys, type KeyAllowance } from "./api-keys.ts";
export { BearerTokens } from "./bearer-tokens.ts";
export { BodyIntake, HeldBody } from "./body-intake.ts";
export { BufferPool, MAX_POOLED_BYTES } from "./buffer-pool.ts";
export type { ListenerPems, PemSource } from "./certificates.ts";
export {
  clientChecksOf,
  contextOf,
  filesOf,
  readListenerPems,
  selfSignedPair,
  watchListenerPems,
} from "./certificates.ts";
export { type AnswerFrame, type AnswerHead, ClientAnswer, type ClientListener } from "./client-answer.ts";
export { type Clock, systemClock } from "./clock.ts";
export { Cors } from "./cors.ts";
export { decodedPart } from "./decoded-part.ts";
export type { HttpErrorCode } from "./error-answer.ts";
export { errorAnswer, HttpError } from "./error-answer.ts";
export { FrontGate, type FrontGateParts } from "./front-gate.ts";
export { type FrontDoorway, FrontServer, type FrontServerOptions } from "./front-server.ts";
export type { HttpAddress, HttpListenerDependencies, HttpListenerOptions } from "./http-listener.ts";
export { HttpListener } from "./http-listener.ts";
export { inTurns, type Turns } from "./in-turns.ts";
export type { JsonSchema } from "./json-schema.ts";
export { type ListedModel, modelCard, modelListText } from "./model-card.ts";
export { ModelRestorer } from "./model-restorer.ts";
export { type HttpLog, type HttpTls, type ListenerLimits, ServerMaker } from "./node-server.ts";
export type { OpenApiInfo } from "./open-api.ts";
export { openApiDocument } from "./open-api.ts";
export type {
  AnswerDescription,
  HttpAnswer,
  HttpCall,
  HttpMethod,
  Operation,
  ParameterDescription,
} from "./operation.ts";
export { jsonAnswer } from "./operation.ts";
export { type Refusal, refusalOf } from "./refusal.ts";
export type { HttpLimits } from "./request-limits.ts";
export { requestTargetOf } from "./request-target.ts";
export { isRoutingHeader, routingHeaderNames } from "./routing-headers.ts";
export type { HttpObserver } from "./serve-operations.ts";
export type { Member, Members, ObjectOf, Shape } from "./shapes.ts";
export {
  anyObjectShape,
  flagShape,
  i64Shape,
  listShape,
  mapped,
  mapShape,
  may,
  must,
  numberShape,
  objectShape,
  orNull,
  otherwise,
  textShape,
  u32Shape,
  u64Shape,
  wordShape,
} from "./shapes.ts";
export { type StreamFormat, streamErrorEvent } from "./stream-error.ts";
export { dropBody, invite, type UnreadBody } from "./unread-body.ts";
export { type TokenUsage, UsageScanner } from "./usage-scanner.ts";
export { type ContentWatch, watchContent } from "./watched-content.ts";
