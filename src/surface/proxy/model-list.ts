import { HttpError } from "../../http/index.ts";
import { notServedText } from "../../router/index.ts";

/** A model as clients may ask for it. */
export interface ListedModel {
  readonly id: string;
  /** The model that an alias or an adapter belongs to; undefined for a model itself. */
  readonly root: string | undefined;
}

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
    const data = models.map((model) => this.#card(model, cards, isAnthropic)).join(",");
    if (!isAnthropic) return `{"object":"list","data":[${data}]}`;
    const [first, last] = [models[0], models.at(-1)].map((model) => JSON.stringify(model?.id ?? null));
    return `{"data":[${data}],"has_more":false,"first_id":${first},"last_id":${last}}`;
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

  #card({ id, root }: ListedModel, cards: ReadonlyMap<string, string>, isAnthropic: boolean): string {
    const { startedMs } = this.#parts;
    if (isAnthropic) {
      const createdAt = new Date(startedMs).toISOString();
      return JSON.stringify({ type: "model", id, display_name: id, created_at: createdAt });
    }
    const card = { id, object: "model", created: Math.floor(startedMs / 1_000), owned_by: "pointsman" };
    return cards.get(id) ?? JSON.stringify(root === undefined ? card : { ...card, root });
  }
}
