export { Splitter } from "./disaggregated/splitter.ts";
export { FrontDoor } from "./front-door.ts";
export { type ListedModel, ModelList } from "./model-list.ts";
export type { ProxyRouter, WorkerReports } from "./proxy-router.ts";
export { ResponseOwners } from "./response-owners.ts";
export { RetryBudget } from "./retry-budget.ts";
export { ServedPaths } from "./served-paths.ts";
export type { AttemptOutcome, CallPhase, ProxyLog, ProxyTelemetry } from "./telemetry.ts";
export { WorkerModels } from "./worker-models.ts";
