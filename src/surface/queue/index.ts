export { Callers, type CallerTrait, type MetadataSource, type QueueApiKey, type QueueChoice } from "./callers.ts";
export { KeptResults } from "./kept-results.ts";
export { QueueDoor } from "./queue-door.ts";
export { QueueModels } from "./queue-models.ts";
export { BodyReader } from "./request-body.ts";
export { SharedCalls } from "./shared-calls.ts";
export type { QueueLog, QueueTelemetry } from "./telemetry.ts";
export { TrackedRequests } from "./tracked-requests.ts";
