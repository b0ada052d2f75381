export { ListenError } from "./listen-error.ts";
export type { OwnAnswer, RoutingErrorCode, RoutingErrorOptions } from "./routing-error.ts";
export { httpStatusByCode, RoutingError } from "./routing-error.ts";
