import type { Redis } from "ioredis";

/** How long the server holds a question without an answer, s: a reader whose network was cut takes results to nowhere for so long. */
export const blockSeconds = 2;

export interface ResultReaderOptions {
  readonly list: string;
  /** Most results that are taken at once. */
  readonly resultsAtOnce: number;
}

/** Told of what is read. */
export interface ResultSink {
  deliver(text: string): void;
  /** So many were delivered at this look; 0 = none came for a while. */
  looked(count: number): void;
}

/** Longest time of delivering without a look at other things, ms. */
const maxTurnMs = 4;

/** Takes results from a list as they come, oldest first. */
export class ResultReader {
  readonly #client: Redis;
  readonly #options: ResultReaderOptions;
  readonly #sink: ResultSink;
  readonly #now: () => number;
  /** Of servers before Redis 7, which take one at a time while they wait. */
  #isOld = false;

  /** @param now milliseconds on a monotonic scale */
  constructor(client: Redis, options: ResultReaderOptions, sink: ResultSink, now: () => number) {
    this.#client = client;
    this.#options = options;
    this.#sink = sink;
    this.#now = now;
  }

  /** Reads until the connection ends. Always rejects. */
  async run(): Promise<never> {
    for (;;) {
      const texts = await this.#take();
      await this.#deliver(texts);
      this.#sink.looked(texts.length);
    }
  }

  async #take(): Promise<readonly string[]> {
    if (this.#isOld) return this.#takeByOne();
    const { list, resultsAtOnce } = this.#options;
    try {
      const reply = await this.#client.blmpop(blockSeconds, 1, list, "RIGHT", "COUNT", resultsAtOnce);
      return reply?.[1] ?? [];
    } catch (error) {
      if (!(error instanceof Error) || !/^ERR unknown command/i.test(error.message)) throw error;
      this.#isOld = true;
      return this.#takeByOne();
    }
  }

  async #takeByOne(): Promise<readonly string[]> {
    const { list, resultsAtOnce } = this.#options;
    const first = await this.#client.brpop(list, blockSeconds);
    if (first === null) return [];
    if (resultsAtOnce === 1) return [first[1]];
    const more = (await this.#client.rpop(list, resultsAtOnce - 1)) as readonly string[] | null;
    return [first[1], ...(more ?? [])];
  }

  async #deliver(texts: readonly string[]): Promise<void> {
    let turnMs = this.#now();
    for (const text of texts) {
      this.#sink.deliver(text);
      if (this.#now() - turnMs < maxTurnMs) continue;
      await new Promise((resolve) => setImmediate(resolve));
      turnMs = this.#now();
    }
  }
}
