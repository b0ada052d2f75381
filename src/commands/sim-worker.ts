import { readModelFolder } from "../config/index.ts";
import { Model, profileByName } from "../model/index.ts";
import { type SimWorkerOptions, startSimWorker, type TokenizePrompt } from "../sim-worker/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { CacheBudget } from "../tokenizer/index.ts";
import { promptTokenizer } from "./prompt-tokenizer.ts";

export interface SimWorkerCommandOptions extends SimWorkerOptions {
  /** Model folder for exact tokens; without one, tokens are made up from the bytes. */
  readonly modelDir?: string;
  /** Memory for the text met lately, with its tokens. Default 256 MiB. */
  readonly modelCacheBytes?: number;
}

/** Runs a simulated worker until `signal` aborts. */
export async function runSimWorker(
  { modelDir, modelCacheBytes, ...options }: SimWorkerCommandOptions,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  const tokenize =
    modelDir === undefined ? undefined : await tokenizerOf(modelDir, options, new CacheBudget(modelCacheBytes));
  const worker = await startSimWorker({ ...options, ...(tokenize === undefined ? {} : { tokenize }) }, log);
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
  await worker.close();
}

async function tokenizerOf(
  folder: string,
  { models = [], blockSize = 16 }: SimWorkerOptions,
  cache: CacheBudget,
): Promise<TokenizePrompt> {
  const model = { name: models[0] ?? "sim-model", profile: profileByName("vllm"), blockSize, cache };
  return promptTokenizer(await Model.load(model, await readModelFolder(folder)));
}
