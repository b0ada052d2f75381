import type { Clock } from "../../http/index.ts";
import { JsonObject, JsonSyntaxError, parseJson, stringifyJson } from "../../json/index.ts";
import type { Dispatcher } from "./dispatcher.ts";

/** How long a worker's list is believed, ms. */
const freshMs = 5_000;
/** Longest wait for a worker's list, ms. */
const timeoutMs = 2_000;
/** Longest list that is read, in bytes. */
const maxListBytes = 1_048_576;
/** Most models that are told of one worker. */
const maxModels = 1_024;

/** What workers say of their models: the entries of their `/v1/models`, by id, as they wrote them. */
export class WorkerModels {
  readonly #dispatcher: Dispatcher;
  readonly #endpoints: () => readonly string[];
  readonly #clock: Clock;
  #askedMs = Number.NEGATIVE_INFINITY;
  #cards: Promise<ReadonlyMap<string, string>> = Promise.resolve(new Map());

  /** @param endpoints of the workers that are up, read at each question */
  constructor(dispatcher: Dispatcher, endpoints: () => readonly string[], clock: Clock) {
    this.#dispatcher = dispatcher;
    this.#endpoints = endpoints;
    this.#clock = clock;
  }

  /** JSON of each model's entry; of one that several workers list, the first worker's. Workers that do not answer are left out. Never rejects. */
  cards(): Promise<ReadonlyMap<string, string>> {
    if (this.#clock.now() - this.#askedMs < freshMs) return this.#cards;
    this.#askedMs = this.#clock.now();
    this.#cards = Promise.all(this.#endpoints().map((endpoint) => this.#ask(endpoint))).then(merged);
    return this.#cards;
  }

  #ask(endpoint: string): Promise<readonly (readonly [string, string])[]> {
    return new Promise((resolve) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      let status = 0;
      const finish = (list: readonly (readonly [string, string])[]) => {
        cancelTimeout();
        resolve(list);
      };
      const exchange = this.#dispatcher.send(
        { endpoint, method: "GET", path: "/v1/models", headers: [], body: undefined },
        {
          head: (code) => {
            status = code;
          },
          data: (chunk) => {
            bytes += chunk.length;
            if (bytes <= maxListBytes) chunks.push(chunk);
          },
          end: () => finish(status === 200 && bytes <= maxListBytes ? entriesOf(Buffer.concat(chunks)) : []),
          failed: () => finish([]),
        },
      );
      const cancelTimeout = this.#clock.after(timeoutMs, () => {
        exchange.cancel();
        resolve([]);
      });
    });
  }
}

function entriesOf(list: Buffer): readonly (readonly [string, string])[] {
  try {
    const root = parseJson(list);
    const data = root instanceof JsonObject ? root.get("data") : undefined;
    if (!Array.isArray(data)) return [];
    return data.slice(0, maxModels).flatMap((entry) => {
      const id = entry instanceof JsonObject ? entry.get("id") : undefined;
      return typeof id === "string" ? [[id, stringifyJson(entry)] as const] : [];
    });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return [];
    throw error;
  }
}

function merged(lists: readonly (readonly (readonly [string, string])[])[]): ReadonlyMap<string, string> {
  const cards = new Map<string, string>();
  for (const [id, card] of lists.flat()) if (!cards.has(id)) cards.set(id, card);
  return cards;
}
