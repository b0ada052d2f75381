import { HttpError, modelCard, modelListText } from "../../http/index.ts";

/** The models that are served through the queues, as one server would list them. */
export class QueueModels {
  readonly #ids: readonly string[];
  readonly #startedMs: number;

  /** @param startedMs the date that is given for all, ms since 1970 */
  constructor(ids: readonly string[], startedMs: number) {
    this.#ids = ids;
    this.#startedMs = startedMs;
  }

  /** JSON of the answer of `/v1/models`. */
  list(isAnthropic: boolean): string {
    const cards = this.#ids.map((id) => this.#card(id, isAnthropic));
    return modelListText(this.#ids, cards, isAnthropic);
  }

  /** JSON of the answer of `/v1/models/{id}`. @throws HttpError 404 */
  one(id: string, isAnthropic: boolean): string {
    if (!this.#ids.includes(id)) throw new HttpError(404, "unknown_model", "this model is not served");
    return this.#card(id, isAnthropic);
  }

  #card(id: string, isAnthropic: boolean): string {
    return JSON.stringify(modelCard({ id, root: undefined }, this.#startedMs, isAnthropic));
  }
}
