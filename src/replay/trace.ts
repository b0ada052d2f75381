import { NumberColumn } from "./number-column.ts";
import type { SimulatedRequest } from "./simulated-request.ts";
import type { TraceRequest } from "./trace-request.ts";
import { type Playback, simulatedRequestOf } from "./trace-simulation.ts";

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
   * Requests of at least two blocks that have fewer ids than complete blocks, or more than blocks: blocks of another size.
   * @returns how many, and of how many
   */
  misfits({ blockSize }: Pick<Playback, "blockSize">): { readonly count: number; readonly of: number } {
    let [count, of] = [0, 0];
    for (let index = 0; index < this.length; index++) {
      const blocks = this.#inputTokens.at(index) / blockSize;
      if (blocks < 2) continue;
      of++;
      const ids = this.#blocks(index);
      if (ids < Math.floor(blocks) || ids > Math.ceil(blocks)) count++;
    }
    return { count, of };
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
