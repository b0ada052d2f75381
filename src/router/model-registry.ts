import type { PrefixIndex } from "../kv/index.ts";
import type { Model } from "../model/index.ts";

/** What the router needs of a model: its tokens, and how it is served. */
export type PromptPipeline = Pick<Model, "profile" | "blockSize" | "tokenize"> &
  Partial<Pick<Model, "hasEngine" | "remember">>;

/** One served model with what hangs off it. */
export interface ServedModel {
  readonly name: string;
  /** Other names that clients may use for it. */
  readonly aliases: readonly string[];
  /** Turns requests into tokens; undefined when the model is routed by load only. */
  readonly pipeline: PromptPipeline | undefined;
  /** The model's frontend parses reasoning, and so turns thinking on for Messages that do not turn it off. Default false. */
  readonly hasReasoningParser?: boolean;
  /** Who holds which prefix, for workers that publish KV events. */
  readonly index: PrefixIndex;
}

/** The served models by every name that a request may use. */
export class ModelRegistry {
  readonly #byName = new Map<string, ServedModel>();
  readonly #models: readonly ServedModel[];

  constructor(models: readonly ServedModel[]) {
    this.#models = models;
    for (const model of models) {
      for (const name of [model.name, ...model.aliases]) this.#byName.set(name, model);
    }
  }

  find(name: string): ServedModel | undefined {
    return this.#byName.get(name);
  }

  /** The model of a request that names none: the only one, or undefined when there are several. */
  get only(): ServedModel | undefined {
    return this.#models.length === 1 ? this.#models[0] : undefined;
  }

  values(): readonly ServedModel[] {
    return this.#models;
  }
}
