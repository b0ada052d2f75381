export type { CanaryFinding } from "./canary.ts";
export { QueueClient } from "./queue-client.ts";
export { type QueueEnvironment, systemQueueEnvironment } from "./queue-environment.ts";
export { QueueError, type QueueErrorCode } from "./queue-error.ts";
export type {
  CancelReason,
  QueueClientDependencies,
  QueueClientOptions,
  QueueObserver,
  QueueOperation,
  QueueWire,
} from "./queue-options.ts";
export type { QueueRequest, QueueResult } from "./queue-request.ts";
export type { OrphanReason } from "./waiters.ts";
