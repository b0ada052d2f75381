import { Buffer } from "node:buffer";
import { IdBuffer } from "./id-buffer.ts";
import { decimalLength, type IdRun, writeDecimals } from "./id-run.ts";
import type { EncodedPrompt } from "./tokenizer.ts";

/** Runs up to here are not worth remembering one by one: their decimals are written anew. */
const shortRun = 16;

/** Collects the ids of a prompt, remembering which of them come from runs whose decimals are known. */
export class RunList {
  /** All ids up to here; append to it what is not part of a run. */
  readonly ids: IdBuffer;
  readonly #runs: IdRun[] = [];
  readonly #starts: number[] = [];

  /** @param ids a buffer that nobody else uses until `take`; what it holds (of a prompt that was given up) is dropped */
  constructor(ids = new IdBuffer()) {
    ids.length = 0;
    this.ids = ids;
  }

  addRun(run: IdRun): void {
    const { length } = run.ids;
    if (length <= shortRun) {
      this.ids.append(run.ids, 0, length);
      return;
    }
    this.#runs.push(run);
    this.#starts.push(this.ids.length);
    this.ids.appendAll(run.ids);
  }

  /** How many ids have been collected. */
  get length(): number {
    return this.ids.length;
  }

  /**
   * The prompt; the list and its buffer are empty afterwards.
   * @param known a run of its first ids, which is told their decimals when they are written
   */
  take(known: IdRun | undefined): Omit<EncodedPrompt, "head"> {
    const ids = this.ids.take();
    const runs = this.#runs.splice(0);
    const starts = this.#starts.splice(0);
    return {
      ids,
      decimals: () => {
        const decimals = joinDecimals(ids, runs, starts);
        if (known !== undefined) tellDecimals(known, ids, decimals);
        return decimals;
      },
    };
  }

  /** As `take`, where decimals are not asked for. */
  takeIds(): Uint32Array {
    this.#runs.length = 0;
    this.#starts.length = 0;
    return this.ids.take();
  }
}

function tellDecimals(known: IdRun, ids: Uint32Array, decimals: Buffer): void {
  const rest = decimalLength(ids.subarray(known.ids.length));
  known.rememberDecimals(decimals.subarray(0, decimals.length - rest));
}

function joinDecimals(ids: Uint32Array, runs: readonly IdRun[], starts: readonly number[]): Buffer {
  const parts: Uint8Array[] = [];
  let written = 0;
  runs.forEach((run, index) => {
    const start = starts[index] as number;
    if (start > written) parts.push(writeDecimals(ids.subarray(written, start)));
    parts.push(run.decimals);
    written = start + run.ids.length;
  });
  if (written < ids.length) parts.push(writeDecimals(ids.subarray(written)));
  return Buffer.concat(parts);
}
