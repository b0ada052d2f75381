import { createHmac, randomBytes } from "node:crypto";
import type { Config } from "../config/index.ts";
import type { JsonReader } from "../json/index.ts";
import { type CompiledModel, Model } from "../model/index.ts";
import {
  type Clock,
  HeavyRequests,
  PromptThreads,
  type PromptThreadsEvents,
  ShadowCheck,
  type ShadowCheckEvents,
  type ThreadState,
} from "../prompt-threads/index.ts";
import type { Elsewhere, ServedModel } from "../router/index.ts";
import { CacheBudget } from "../tokenizer/index.ts";
import { loadError } from "./load-models.ts";
import { ModelLoading } from "./model-loading.ts";
import { OfficialThreads } from "./official-threads.ts";
import { modelOptions, type ServedModels } from "./served-models.ts";
import { startThread } from "./start-thread.ts";

/** What a prompt thread is started with. */
export interface PromptThreadData {
  readonly config: Config;
  /** Which engine tokenizes. */
  readonly engine: "exact" | "official";
}

export interface PromptServiceParts {
  readonly models: ServedModels;
  /** The main thread's. */
  readonly reader: JsonReader;
  /** Uniform in [0,1). */
  readonly random: () => number;
  readonly threads: Omit<PromptThreadsEvents, "loaded">;
  readonly shadow: ShadowCheckEvents;
  /** A model is taken as it last was: the hub cannot be reached. */
  readonly staleModel: (name: string) => void;
}

/** Bodies up to here are read by the main thread without being weighed: reading any of them takes less than 2 ms. */
const lightBytes = 16_384;

const timers: Clock = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** The threads of a running picker: those that prepare large requests, and the one that loads the models. */
export class PromptService {
  /** What the router hands large requests to. */
  readonly elsewhere: Elsewhere;
  /** Resolves when every model is loaded; rejects when one cannot be. */
  readonly loaded: Promise<void>;
  readonly #config: Config;
  readonly #models: ServedModels;
  readonly #cache: CacheBudget;
  readonly #loading: ModelLoading;
  readonly #exact: PromptThreads;
  readonly #official: OfficialThreads;

  constructor(config: Config, { models, reader, random, threads, shadow, staleModel }: PromptServiceParts) {
    this.#config = config;
    this.#models = models;
    this.#cache = new CacheBudget(config.tokenizer.cacheBytes);
    const events = { ...threads, loaded: (at: number, failure?: string) => this.#official.loaded(at, failure) };
    const start = (engine: PromptThreadData["engine"], count: number) => startPool(config, engine, count, events);
    this.#exact = start("exact", config.tokenizer.threads.count);
    // One thread: the engine runs on a thread pool of its own.
    this.#official = new OfficialThreads(() => start("official", 1));
    const check = new ShadowCheck(
      { every: config.tokenizer.shadowCheckEvery, random, nameOf: keyedNames() },
      () => this.#official,
      shadow,
      (model) => this.#fallBack(model),
    );
    this.elsewhere = new HeavyRequests(models.registry, reader, heavyLimits(config), {
      exact: this.#exact,
      official: this.#official,
      check,
    });
    this.#loading = new ModelLoading(config, (model) => {
      if (model.isStale) staleModel(config.models[model.index]?.name ?? "");
      return this.#take(model);
    });
    this.loaded = this.#loading.finished;
    // Whoever waits is told; nobody may be waiting yet.
    this.loaded.catch(() => undefined);
  }

  /** Requests that wait for a thread. */
  get queued(): number {
    return this.#exact.queued + this.#official.queued;
  }

  /** Requests that threads are preparing. */
  get running(): number {
    return this.#exact.running + this.#official.running;
  }

  async close(): Promise<void> {
    await Promise.all([this.#loading.close(), this.#exact.close(), this.#official.close()]);
  }

  /** A model's files have been read: the threads get it first, so that no request comes before it. */
  async #take({ index, compiled, folder }: { index: number; compiled: CompiledModel; folder: string }): Promise<void> {
    const settings = this.#config.models[index];
    if (settings === undefined) return;
    const { maxUncutCharacters: maxUncutUnits } = this.#config.tokenizer.mainThread;
    const options = modelOptions(settings, this.#config.tokenizer);
    try {
      const model = Model.fromCompiled({ ...options, cache: this.#cache, maxUncutUnits, defersUncut: true }, compiled);
      this.#tell({ kind: "model", index, compiled, folder });
      if (!model.hasEngine) await this.#official.whenLoaded(index);
      this.#models.late[index]?.set(model);
    } catch (cause) {
      throw loadError(settings.name, cause);
    }
  }

  /** The exact engine's ids of a model were wrong. */
  #fallBack(model: ServedModel): void {
    const index = this.#config.models.findIndex(({ name }) => name === model.name);
    this.#models.late[index]?.deferAll();
    this.#tell({ kind: "defer", index });
  }

  #tell(state: ThreadState): void {
    this.#exact.tell(state);
    this.#official.tell(state);
  }
}

function startPool(
  config: Config,
  engine: PromptThreadData["engine"],
  threads: number,
  events: PromptThreadsEvents,
): PromptThreads {
  const data: PromptThreadData = { config, engine };
  const { jobsAtOnce, maxQueued, deadlineMs } = config.tokenizer.threads;
  const options = { threads, jobsAtOnce, maxQueued, deadlineMs };
  return new PromptThreads(() => startThread("prompt-thread", data), options, events, timers);
}

function heavyLimits({ tokenizer }: Config) {
  const { maxNewBytes, maxValues, maxKnownBytes } = tokenizer.mainThread;
  return { lightBytes, maxNewBytes, maxRecords: maxValues, maxBytes: maxKnownBytes };
}

/** Names of bodies that only this process can make: nobody can guess a body and find its name in a log. */
function keyedNames(): (body: Uint8Array) => string {
  const key = randomBytes(32);
  return (body) => createHmac("sha256", key).update(body).digest("hex").slice(0, 16);
}
