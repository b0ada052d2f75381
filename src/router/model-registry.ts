import type { Dialect } from "../api/index.ts";
import type { PrefixIndex } from "../kv/index.ts";
import type { Model } from "../model/index.ts";

/** What the router needs of a model: its tokens, and how it is served. */
export type PromptPipeline = Pick<Model, "profile" | "blockSize" | "tokenize"> &
  Partial<Pick<Model, "hasEngine" | "remember" | "scoring">> & {
    /** As `Model.engine`, once the model is loaded. */
    readonly engine: Model["engine"] | "loading";
  };

/** One served model with what hangs off it. */
export interface ServedModel {
  readonly name: string;
  /** Other names that clients may use for it. */
  readonly aliases: readonly string[];
  /** Its LoRA adapters, by the names that clients use. Default: none. */
  readonly adapters?: readonly string[];
  /** The engine caches pairs of tokens. Default false. */
  readonly isEagle?: boolean;
  /** Turns requests into tokens; undefined when the model is routed by load only. */
  readonly pipeline: PromptPipeline | undefined;
  /** How its requests are read where there is no pipeline, whose profile says it. Default: as requests that name no model. */
  readonly dialect?: Dialect;
  /** The model's frontend parses reasoning, and so turns thinking on for Messages that do not turn it off. Default false. */
  readonly hasReasoningParser?: boolean;
  /** Who holds which prefix, for workers that publish KV events. */
  readonly index: PrefixIndex;
}

/** The served models by every name that a request may use: the configured ones, and those that workers bring with them. */
export class ModelRegistry {
  readonly #byName = new Map<string, ServedModel>();
  readonly #configured: readonly ServedModel[];
  #all: readonly ServedModel[];

  /** @param models the configured ones */
  constructor(models: readonly ServedModel[]) {
    this.#configured = models;
    this.#all = models;
    for (const model of models) {
      for (const name of [model.name, ...model.aliases, ...(model.adapters ?? [])]) this.#byName.set(name, model);
    }
  }

  find(name: string): ServedModel | undefined {
    return this.#byName.get(name);
  }

  /** The model of a request that names none: the only configured one, or undefined when there are several. */
  get only(): ServedModel | undefined {
    return this.#configured.length === 1 ? this.#configured[0] : undefined;
  }

  /** Whether a model is one of the configured ones. */
  isConfigured(model: ServedModel): boolean {
    return this.#configured.includes(model);
  }

  values(): readonly ServedModel[] {
    return this.#all;
  }

  /** Adds a model that workers brought. @returns false when its name is taken */
  add(model: ServedModel): boolean {
    if (this.#byName.has(model.name)) return false;
    this.#byName.set(model.name, model);
    this.#all = [...this.#all, model];
    return true;
  }

  /** Takes away a model that was added. */
  remove(model: ServedModel): void {
    if (this.#byName.get(model.name) !== model || this.isConfigured(model)) return;
    this.#byName.delete(model.name);
    this.#all = this.#all.filter((other) => other !== model);
  }
}
