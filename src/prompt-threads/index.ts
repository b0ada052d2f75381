export type { Clock } from "./clock.ts";
export { type HeavyLimits, HeavyRequests } from "./heavy-requests.ts";
export { JobServer } from "./job-server.ts";
export type { FromThread, PreparedMessage, ThreadState, ToThread } from "./messages.ts";
export type { PromptOutcome } from "./prompt-job.ts";
export {
  type PromptFailure,
  PromptThreads,
  type PromptThreadsEvents,
  type PromptThreadsOptions,
} from "./prompt-threads.ts";
