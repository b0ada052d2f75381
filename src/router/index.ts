export type { RouteExplanation } from "./explanation.ts";
export { ModelRegistry, type PromptPipeline, type ServedModel } from "./model-registry.ts";
export type { PreparedRequest, PrepareOptions } from "./prepare.ts";
export type { RouteDecision, RouteReservation } from "./route-decision.ts";
export type { RequestHeaders, RouteRequest } from "./route-request.ts";
export { Router, type RouterOptions, type RouterState } from "./router.ts";
