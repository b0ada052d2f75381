// Runs as a thread: prepares requests, with the exact engine or with the official one.
import { parentPort, workerData } from "node:worker_threads";
import { JsonReader } from "../json/index.ts";
import { PrefixIndex } from "../kv/index.ts";
import { Model } from "../model/index.ts";
import {
  JobServer,
  type LoadedMessage,
  type ModelMessage,
  type ThreadState,
  type ToThread,
} from "../prompt-threads/index.ts";
import { ModelRegistry, prepareRequest } from "../router/index.ts";
import { CacheBudget } from "../tokenizer/index.ts";
import { OfficialModel } from "./official-model.ts";
import type { PromptThreadData } from "./prompt-service.ts";
import { hasFiles, lateModel, modelOptions, prepareOptions, servedModel } from "./served-models.ts";
import { yieldToOtherThreads } from "./thread-priority.ts";

if (parentPort === null) throw new Error("this file runs as a thread");
const port = parentPort;
const { config, engine } = workerData as PromptThreadData;
const { tokenizer } = config;
yieldToOtherThreads(tokenizer.threads.niceness);

const pipelines = config.models.map((settings) => {
  if (!hasFiles(settings)) return undefined;
  return engine === "exact" ? lateModel(settings) : new OfficialModel(modelOptions(settings, tokenizer));
});
const registry = new ModelRegistry(
  config.models.map((settings, at) => {
    const { blockSize } = settings;
    return servedModel(settings, pipelines[at], new PrefixIndex({ blockSize, maxBlocks: 1 }));
  }),
);
const cache = new CacheBudget(tokenizer.threads.cacheBytes);
const options = {
  ...prepareOptions(config),
  jsonReader: new JsonReader({ internedBytes: config.json.internedBytes }),
};
const jobs = new JobServer(
  { postMessage: (answer, transfer) => port.postMessage(answer, transfer) },
  {
    prepare: (input) => prepareRequest(input, registry, options),
    maxBytesHere: tokenizer.mainThread.maxKnownBytes,
  },
);

/** A model that has no other engine is loaded at once, and the main thread waits for it. */
function takeOfficial(model: OfficialModel, { index, compiled, folder }: ModelMessage): void {
  model.set(compiled, folder);
  if (compiled.tokenizer !== undefined) return;
  const tell = (failure: string | undefined) =>
    port.postMessage({ kind: "loaded", index, failure } satisfies LoadedMessage);
  model.loaded().then(
    () => tell(undefined),
    (error: unknown) => tell(error instanceof Error ? error.message : String(error)),
  );
}

function takeState(state: ThreadState): void {
  const pipeline = pipelines[state.index];
  const settings = config.models[state.index];
  if (pipeline === undefined || settings === undefined) return;
  if (pipeline instanceof OfficialModel) {
    if (state.kind === "model") takeOfficial(pipeline, state);
  } else if (state.kind === "defer") {
    pipeline.deferAll();
  } else {
    const { maxUncutCharacters: maxUncutUnits } = tokenizer;
    pipeline.set(Model.fromCompiled({ ...modelOptions(settings, tokenizer), cache, maxUncutUnits }, state.compiled));
  }
}

port.on("message", (message: ToThread) => {
  if (message.kind === "prepare") void jobs.run(message);
  else if (message.kind === "cancel") jobs.cancel(message.job);
  else takeState(message);
});
