export type { FaultSettings } from "./faults.ts";
export type { SimWorkerFlag } from "./flags.ts";
export { simWorkerFlags } from "./flags.ts";
export type { SimWorkerOptions, TokenizePrompt } from "./options.ts";
export { resolveSimWorkerOptions } from "./options.ts";
export { pseudoTokenize } from "./pseudo-tokenizer.ts";
export type { RequestRecord } from "./request-log.ts";
export type { SimWorker, SimWorkerLogger, SimWorkerStats } from "./sim-worker.ts";
export { startSimWorker } from "./sim-worker.ts";
