import { NumberColumn } from "./number-column.ts";
import type { SimulatedRequest } from "./simulated-request.ts";
import type { TraceRequest } from "./trace-request.ts";
import { type Playback, simulatedRequestOf } from "./trace-simulation.ts";

/** Prompts whose ids are not one a block. */
export interface Misfits {
  readonly count: number;
  /** Of so many that could be. */
  readonly of: number;
  /** Of the misfits those with more ids than blocks. */
  readonly crowded: number;
}

/** Prompts by which a block size is found. */
const sampledPrompts = 10_000;
/** The likely ones first: of two that fit as many prompts the first counts. */
const usualBlockSizes = [
  ...Array.from({ length: 14 }, (_, power) => 2 ** power),
  ...Array.from({ length: 64 }, (_, at) => 16 * (at + 1)),
];

/** The requests of a trace, in 40 bytes each and 8 for each of their blocks: one with millions of requests can be played. */
export class Trace {
  readonly #timestampMs = new NumberColumn();
  readonly #inputTokens = new NumberColumn();
  readonly #outputTokens = new NumberColumn();
  readonly #blockIds = new NumberColumn();
  /** Where a request's block ids end. */
  readonly #ends = new NumberColumn();
  #isInOrder = true;

  get length(): number {
    return this.#ends.length;
  }

  add({ timestampMs, inputTokens, outputTokens, blockIds }: TraceRequest): void {
    if (this.length > 0 && timestampMs < this.#timestampMs.at(this.length - 1)) this.#isInOrder = false;
    this.#timestampMs.push(timestampMs);
    this.#inputTokens.push(inputTokens);
    this.#outputTokens.push(outputTokens);
    for (const id of blockIds) this.#blockIds.push(id);
    this.#ends.push(this.#blockIds.length);
  }

  /** All requests in order of time, made as they are asked for; the first comes at 0. Those of one time come as they were added. */
  *play(playback: Playback): Generator<SimulatedRequest> {
    const order = this.#order();
    const beginMs = this.length === 0 ? 0 : this.#timestampMs.at(order?.[0] ?? 0);
    for (let place = 0; place < this.length; place++) {
      const request = this.#at(order?.[place] ?? place);
      yield simulatedRequestOf({ ...request, timestampMs: request.timestampMs - beginMs }, playback);
    }
  }

  /** Requests whose prompt has no complete block. */
  shorterThan({ blockSize }: Pick<Playback, "blockSize">): number {
    let count = 0;
    for (let index = 0; index < this.length; index++) {
      if (this.#inputTokens.at(index) < blockSize || this.#blocks(index) === 0) count++;
    }
    return count;
  }

  /**
   * Requests that have more ids than blocks, and those of at least two blocks that have fewer than complete ones: blocks of another size.
   */
  misfits({ blockSize }: Pick<Playback, "blockSize">): Misfits {
    let [count, of, crowded] = [0, 0, 0];
    for (let index = 0; index < this.length; index++) {
      const blocks = this.#inputTokens.at(index) / blockSize;
      const ids = this.#blocks(index);
      const isCrowded = ids > Math.ceil(blocks);
      if (isCrowded) crowded++;
      if (blocks < 2 && !isCrowded) continue;
      of++;
      if (isCrowded || ids < Math.floor(blocks)) count++;
    }
    return { count, of, crowded };
  }

  /** Tokens of a block that most of the first prompts with several ids fit; undefined = none is. */
  fittingBlockSize(): number | undefined {
    const indices: number[] = [];
    for (let index = 0; index < this.length && indices.length < sampledPrompts; index++)
      if (this.#blocks(index) >= 2) indices.push(index);
    let best: number | undefined;
    let most = indices.length / 2;
    for (const size of usualBlockSizes) {
      const fits = indices.filter((index) => this.#fits(index, size)).length;
      if (fits > most) [best, most] = [size, fits];
    }
    return best;
  }

  #fits(index: number, blockSize: number): boolean {
    const blocks = this.#inputTokens.at(index) / blockSize;
    const ids = this.#blocks(index);
    return ids >= Math.floor(blocks) && ids <= Math.ceil(blocks);
  }

  #at(index: number): TraceRequest {
    const end = this.#ends.at(index);
    const count = this.#blocks(index);
    return {
      timestampMs: this.#timestampMs.at(index),
      inputTokens: this.#inputTokens.at(index),
      outputTokens: this.#outputTokens.at(index),
      blockIds: Array.from({ length: count }, (_, block) => this.#blockIds.at(end - count + block)),
    };
  }

  #blocks(index: number): number {
    return this.#ends.at(index) - (index === 0 ? 0 : this.#ends.at(index - 1));
  }

  /** @returns undefined = as they were added */
  #order(): Uint32Array | undefined {
    if (this.#isInOrder) return undefined;
    const order = Uint32Array.from({ length: this.length }, (_, index) => index);
    return order.sort((a, b) => this.#timestampMs.at(a) - this.#timestampMs.at(b));
  }
}
