export { AuthorizedWorkers } from "./authorized-workers.ts";
export { DispatchError, type DispatchFailure } from "./dispatch-error.ts";
export type { AnswerReceiver, WorkerExchange } from "./worker-exchange.ts";
export { WorkerPools, type WorkerPoolsOptions, type WorkerRequest } from "./worker-pools.ts";
