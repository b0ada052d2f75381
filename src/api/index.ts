export type { ChatRequest } from "./chat/chat-request.ts";
export type { CompletionPrompt } from "./completions/prompt.ts";
export type { EngineTraits, SglangThinking, SglangTraits, ThinkMarks, VllmTraits } from "./engine/engine-traits.ts";
export type { RequestExtensions, RoutingConstraints } from "./extensions.ts";
export { routingConstraintsOf } from "./extensions.ts";
export { outlineRequest, type RequestOutline } from "./outline.ts";
export { parseRequest } from "./parse-request.ts";
export {
  type ChatParsed,
  type CompletionsParsed,
  type Dialect,
  loadOnlyModelReason,
  modelLoadingReason,
  type ParsedRequest,
  type ParseOptions,
  type PromptlessParsed,
  unknownModelReason,
  type WithoutEngine,
} from "./parsed-request.ts";
export type { RequestApi } from "./path.ts";
export { requestApiFromPath } from "./path.ts";
export { type TokenData, tokenDataEdit } from "./token-data-edit.ts";
