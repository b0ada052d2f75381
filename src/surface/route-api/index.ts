export type { RouteApiDependencies } from "./operations.ts";
export { routeApiOperations } from "./operations.ts";
export type { RequestBounds, RouteApiOptions } from "./options.ts";
export type { RecoveryState } from "./recovery-state.ts";
