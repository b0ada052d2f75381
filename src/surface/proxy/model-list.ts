import { HttpError, type ListedModel, modelCard, modelListText } from "../../http/index.ts";
import { notServedText } from "../../router/index.ts";

export interface ModelListParts {
  /** The models that are served, read at each question. */
  readonly served: () => readonly ListedModel[];
  /** What workers say of theirs: JSON by id. */
  readonly cards: () => Promise<ReadonlyMap<string, string>>;
  /** Whether models that only workers know are served as well. */
  readonly servesOthers: boolean;
  /** The date that is given for models of which no worker tells, ms since 1970. */
  readonly startedMs: number;
}

/** The models of all workers, as one server would list them. */
export class ModelList {
  readonly #parts: ModelListParts;

  constructor(parts: ModelListParts) {
    this.#parts = parts;
  }

  /** JSON of the answer of `/v1/models`, in OpenAI's words or Anthropic's. */
  async list(isAnthropic: boolean): Promise<string> {
    const cards = await this.#parts.cards();
    const models = this.#models(cards);
    const entries = models.map((model) => this.#card(model, cards, isAnthropic));
    const ids = models.map(({ id }) => id);
    return modelListText(ids, entries, isAnthropic);
  }

  /** JSON of the answer of `/v1/models/{id}`. Rejects with HttpError 404. */
  async one(id: string, isAnthropic: boolean): Promise<string> {
    const cards = await this.#parts.cards();
    const models = this.#models(cards);
    const model = models.find((each) => each.id === id);
    if (model === undefined)
      throw new HttpError(
        404,
        "unknown_model",
        notServedText(
          id,
          models.map((each) => each.id),
        ),
      );
    return this.#card(model, cards, isAnthropic);
  }

  #models(cards: ReadonlyMap<string, string>): readonly ListedModel[] {
    const served = this.#parts.served();
    if (!this.#parts.servesOthers && served.length > 0) return served;
    const known = new Set(served.map(({ id }) => id));
    const others = [...cards.keys()].filter((id) => !known.has(id));
    return [...served, ...others.map((id) => ({ id, root: undefined }))];
  }

  #card(model: ListedModel, cards: ReadonlyMap<string, string>, isAnthropic: boolean): string {
    const known = isAnthropic ? undefined : cards.get(model.id);
    return known ?? JSON.stringify(modelCard(model, this.#parts.startedMs, isAnthropic));
  }
}
