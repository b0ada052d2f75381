import type { Worker } from "node:worker_threads";
import type { Config } from "../config/index.ts";
import type { CompiledModel } from "../model/index.ts";
import { loadError } from "./load-models.ts";
import type { ModelFolder } from "./model-folder.ts";
import { startThread } from "./start-thread.ts";

/** What became of one model's files. */
export type LoadedModel =
  | (ModelFolder & { readonly index: number; readonly compiled: CompiledModel })
  | { readonly index: number; readonly failure: string };

/** Reads the files of the configured models in a thread of its own, which holds up nobody. */
export class ModelLoading {
  readonly #worker: Worker;
  /** Resolves when every model is loaded; rejects, naming the model, when one cannot be, or when the loading is closed. */
  readonly finished: Promise<void>;

  /** @param loaded called for each model as it comes; it may reject */
  constructor(config: Config, loaded: (model: Extract<LoadedModel, { compiled: unknown }>) => Promise<void>) {
    this.#worker = startThread("model-thread", config);
    const pending: Promise<void>[] = [];
    this.finished = new Promise((resolve, reject) => {
      this.#worker.on("message", (message: LoadedModel) => {
        if ("failure" in message) {
          reject(loadError(config.models[message.index]?.name ?? "", message.failure));
          return;
        }
        const taken = loaded(message);
        taken.catch(reject);
        pending.push(taken);
      });
      this.#worker.on("error", reject);
      this.#worker.on("exit", (code) => {
        if (code === 0) Promise.all(pending).then(() => resolve(), reject);
        else reject(new Error("the loading of models was ended"));
      });
    });
  }

  async close(): Promise<void> {
    await this.#worker.terminate();
  }
}
