import { fingerprint, type U64 } from "../kv/index.ts";

/** How a live batch stands to what has been applied. */
export type Verdict = "first" | "next" | "duplicate" | "gap" | "restart";

/** Where a stream stands: a batch of it that was applied to its end. */
export interface StreamPoint {
  readonly sequence: number;
  /** Tells this batch from another engine's of the same number. */
  readonly content: U64;
  /** All that the engine holds is known by then, and not only what it told since somebody listened. */
  readonly isComplete: boolean;
}

/** Batches whose content is remembered, to tell a batch seen twice from a restarted engine. */
const rememberedBatches = 4_096;

/**
 * How far a stream has been applied, and what exactly. The live stream keeps its order, so a sequence number that does not
 * go up means that the engine has started anew; only a batch that a replay brought first comes again, with the same content.
 */
export class StreamPosition {
  readonly #sequences = new Float64Array(rememberedBatches).fill(-1);
  readonly #contents = new Uint32Array(2 * rememberedBatches);
  #last: number | undefined;
  #lastLive: number | undefined;

  /** Sequence number of the last batch applied; undefined before the first. */
  get last(): number | undefined {
    return this.#last;
  }

  reset(): void {
    this.#sequences.fill(-1);
    this.#last = undefined;
    this.#lastLive = undefined;
  }

  /** Judges a batch of the live stream. */
  judgeLive(sequence: number, payload: Uint8Array): Verdict {
    if (this.#last === undefined) return "first";
    if (this.#lastLive !== undefined && sequence <= this.#lastLive) return "restart";
    if (sequence > this.#last) return sequence === this.#last + 1 ? "next" : "gap";
    return this.isSame(sequence, payload) ? "duplicate" : "restart";
  }

  noteLive(sequence: number): void {
    this.#lastLive = sequence;
  }

  /** Records that a batch is being applied. */
  accept(sequence: number, payload: Uint8Array): void {
    this.resume({ sequence, content: contentOf(payload) });
  }

  /** Goes on after a batch that somebody else has applied. */
  resume({ sequence, content: { low, high } }: Pick<StreamPoint, "sequence" | "content">): void {
    const at = sequence % rememberedBatches;
    this.#sequences[at] = sequence;
    this.#contents[2 * at] = low;
    this.#contents[2 * at + 1] = high;
    this.#last = sequence;
  }

  /** What a batch held that was applied under this number, not too long ago. */
  contentAt(sequence: number): U64 | undefined {
    const at = sequence % rememberedBatches;
    if (this.#sequences[at] !== sequence) return undefined;
    return { low: this.#contents[2 * at] as number, high: this.#contents[2 * at + 1] as number };
  }

  /** True when this very batch was applied under this number, and not too long ago. */
  isSame(sequence: number, payload: Uint8Array): boolean {
    const known = this.contentAt(sequence);
    if (known === undefined) return false;
    const { low, high } = contentOf(payload);
    return known.low === low && known.high === high;
  }
}

function contentOf(payload: Uint8Array): U64 {
  // The head holds the engine's time stamp, which no two batches share.
  return fingerprint(payload.length > 4_096 ? payload.subarray(0, 4_096) : payload);
}
