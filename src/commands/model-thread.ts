// Runs as a thread: reads the files of models and compiles them, one after the other, and ends.
import { parentPort, workerData } from "node:worker_threads";
import { type Config, readModelFolder } from "../config/index.ts";
import { compileModel } from "../model/index.ts";
import { modelFolderOf } from "./model-folder.ts";
import type { LoadedModel } from "./model-loading.ts";
import { hasFiles, modelOptions } from "./served-models.ts";
import { yieldToOtherThreads } from "./thread-priority.ts";

if (parentPort === null) throw new Error("this file runs as a thread");
const port = parentPort;
const config = workerData as Config;
yieldToOtherThreads(config.tokenizer.threads.niceness);

async function load(index: number): Promise<void> {
  const settings = config.models[index];
  if (settings === undefined || !hasFiles(settings)) return;
  let message: LoadedModel;
  try {
    const { folder, isStale } = await modelFolderOf(settings, config.hub);
    const files = await readModelFolder(folder);
    message = { index, folder, isStale, compiled: compileModel(modelOptions(settings, config.tokenizer), files) };
  } catch (cause) {
    message = { index, failure: cause instanceof Error ? cause.message : String(cause) };
  }
  port.postMessage(message);
}

for (const index of config.models.keys()) await load(index);
