import { Buffer } from "node:buffer";

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

/** `,1,22,333` for [1, 22, 333]. */
function writeDecimals(ids: Uint32Array): Buffer {
  const bytes = Buffer.allocUnsafeSlow(decimalLength(ids));
  let end = bytes.length;
  for (let index = ids.length - 1; index >= 0; index--) {
    let rest = ids[index] as number;
    do {
      const tenth = (rest / 10) >>> 0;
      bytes[--end] = 48 + (rest - tenth * 10);
      rest = tenth;
    } while (rest > 0);
    bytes[--end] = 44;
  }
  return bytes;
}

/** Bytes that `writeDecimals` writes. */
function decimalLength(ids: Uint32Array): number {
  let length = 0;
  for (let index = 0; index < ids.length; index++) {
    const id = ids[index] as number;
    length += 2;
    for (let bound = 10; id >= bound; bound *= 10) length++;
  }
  return length;
}
