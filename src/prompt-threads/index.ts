export type { Clock } from "./clock.ts";
export { HeavyRequests, type PreparingThreads } from "./heavy-requests.ts";
export { JobServer } from "./job-server.ts";
export type { JobAnswer, LoadedMessage, ModelMessage, PreparedMessage, ThreadState, ToThread } from "./messages.ts";
export type { PromptOutcome } from "./prompt-job.ts";
export {
  type PromptFailure,
  PromptThreads,
  type PromptThreadsEvents,
  type PromptThreadsOptions,
} from "./prompt-threads.ts";
export { ShadowCheck, type ShadowCheckEvents } from "./shadow-check.ts";
