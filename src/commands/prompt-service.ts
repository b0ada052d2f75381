import type { Config } from "../config/index.ts";
import type { JsonReader } from "../json/index.ts";
import { Model } from "../model/index.ts";
import {
  type Clock,
  HeavyRequests,
  PromptThreads,
  type PromptThreadsEvents,
  type ThreadState,
} from "../prompt-threads/index.ts";
import type { Elsewhere } from "../router/index.ts";
import { CacheBudget } from "../tokenizer/index.ts";
import { ModelLoading } from "./model-loading.ts";
import { modelOptions, type ServedModels } from "./served-models.ts";
import { startThread } from "./start-thread.ts";

/** What a prompt thread is started with. */
export interface PromptThreadData {
  readonly config: Config;
  /** Which engine tokenizes. */
  readonly engine: "exact" | "official";
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
  readonly #events: PromptThreadsEvents;
  readonly #loading: ModelLoading;
  readonly #exact: PromptThreads;
  #official: PromptThreads | undefined;
  readonly #states: ThreadState[] = [];

  /** @param reader the main thread's */
  constructor(config: Config, models: ServedModels, reader: JsonReader, events: PromptThreadsEvents) {
    this.#config = config;
    this.#events = events;
    const { mainThread, threads } = config.tokenizer;
    this.#exact = this.#start("exact", threads.count);
    const limits = {
      lightBytes,
      maxNewBytes: mainThread.maxNewBytes,
      maxRecords: mainThread.maxValues,
      maxBytes: mainThread.maxKnownBytes,
    };
    this.elsewhere = new HeavyRequests(models.registry, reader, limits, this.#exact, () => this.#officialThreads());
    const cache = new CacheBudget(config.tokenizer.cacheBytes);
    this.#loading = new ModelLoading(config, (index, compiled, folder) => {
      const settings = config.models[index];
      if (settings === undefined) return;
      const options = {
        ...modelOptions(settings, config.tokenizer),
        cache,
        maxUncutUnits: mainThread.maxUncutCharacters,
        defersUncut: true,
      };
      const model = Model.fromCompiled(options, compiled);
      this.#tell({ kind: "model", index, compiled, folder });
      models.late[index]?.set(model);
    });
    this.loaded = this.#loading.finished;
  }

  /** Requests that wait for a thread, and that threads are preparing. */
  get queued(): number {
    return this.#exact.queued + (this.#official?.queued ?? 0);
  }

  get running(): number {
    return this.#exact.running + (this.#official?.running ?? 0);
  }

  async close(): Promise<void> {
    await Promise.all([this.#loading.close(), this.#exact.close(), this.#official?.close()]);
  }

  #tell(state: ThreadState): void {
    this.#states.push(state);
    this.#exact.tell(state);
    this.#official?.tell(state);
  }

  /** One thread: the engine runs on a thread pool of its own. */
  #officialThreads(): PromptThreads {
    if (this.#official === undefined) {
      this.#official = this.#start("official", 1);
      for (const state of this.#states) this.#official.tell(state);
    }
    return this.#official;
  }

  #start(engine: PromptThreadData["engine"], count: number): PromptThreads {
    const data: PromptThreadData = { config: this.#config, engine };
    const { jobsAtOnce, maxQueued, deadlineMs } = this.#config.tokenizer.threads;
    const options = { threads: count, jobsAtOnce, maxQueued, deadlineMs };
    return new PromptThreads(() => startThread("prompt-thread", data), options, this.#events, timers);
  }
}
