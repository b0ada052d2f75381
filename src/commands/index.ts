export { explainCases } from "./cases.ts";
export { checkConfig } from "./check-config.ts";
export { explainRequest } from "./explain-request.ts";
export { pickerFlags } from "./picker-flags.ts";
export { ProgressBar } from "./progress-bar.ts";
export { type ReplayOptions, replay } from "./replay.ts";
export { serve } from "./serve.ts";
export { runSimWorker } from "./sim-worker.ts";
