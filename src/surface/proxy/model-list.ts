import { HttpError } from "../../http/index.ts";

/** A model as clients may ask for it. */
export interface ListedModel {
  readonly id: string;
  /** The model that an alias or an adapter belongs to; undefined for a model itself. */
  readonly root: string | undefined;
}

/** The models of all workers, as one server would list them. */
export class ModelList {
  readonly #models: () => readonly ListedModel[];
  /** Seconds since 1970. */
  readonly #createdAt: number;

  /**
   * @param models read at each question
   * @param startedMs milliseconds since 1970: the date that is given for all of them
   */
  constructor(models: () => readonly ListedModel[], startedMs: number) {
    this.#models = models;
    this.#createdAt = Math.floor(startedMs / 1_000);
  }

  /** The answer of `/v1/models`, in OpenAI's words or Anthropic's. */
  list(isAnthropic: boolean): object {
    const models = this.#models();
    const data = models.map((model) => this.#card(model, isAnthropic));
    if (!isAnthropic) return { object: "list", data };
    return { data, has_more: false, first_id: models[0]?.id ?? null, last_id: models.at(-1)?.id ?? null };
  }

  /** The answer of `/v1/models/{id}`. @throws HttpError 404 */
  one(id: string, isAnthropic: boolean): object {
    const model = this.#models().find((each) => each.id === id);
    if (model === undefined) throw new HttpError(404, "unknown_model", "the model is not served here");
    return this.#card(model, isAnthropic);
  }

  #card({ id, root }: ListedModel, isAnthropic: boolean): object {
    if (isAnthropic) {
      return { type: "model", id, display_name: id, created_at: new Date(this.#createdAt * 1_000).toISOString() };
    }
    const card = { id, object: "model", created: this.#createdAt, owned_by: "pointsman" };
    return root === undefined ? card : { ...card, root };
  }
}
