import type { Buffer } from "node:buffer";
import { writeDecimals } from "./decimals.ts";

/** Token ids that follow one another in a prompt, with what is worth keeping about them. Never changed. */
export class IdRun {
  readonly ids: Uint32Array;
  #decimals: Buffer | undefined;

  constructor(ids: Uint32Array) {
    this.ids = ids;
  }

  /** Bytes that the run takes when its decimals are written, at most. */
  get byteLength(): number {
    return this.ids.length * 12 + 256;
  }

  /** Each id in decimal after a comma, as in `,123,45`; written once. */
  get decimals(): Buffer {
    this.#decimals ??= writeDecimals(this.ids);
    return this.#decimals;
  }
}
