import { Buffer } from "node:buffer";

const keptUnits = 1 << 16;

/** Reused memory for the UTF-16 units of one text. */
export class UnitBuffer {
  /** The first `length` are the text's; the array is replaced when it grows. */
  units: Uint16Array;
  length = 0;
  #bytes: Buffer;

  constructor() {
    this.#bytes = Buffer.alloc(keptUnits * 2);
    this.units = unitsOf(this.#bytes);
  }

  /**
   * Replaces what the buffer holds; memory for an unusually long text is given back with the next.
   * @param reserve units left free before the text
   */
  load(text: string, reserve = 0): void {
    const length = text.length + reserve;
    const capacity = Math.max(keptUnits, 2 ** Math.ceil(Math.log2(length)));
    if (length > this.units.length || this.units.length > capacity) {
      this.#bytes = Buffer.alloc(capacity * 2);
      this.units = unitsOf(this.#bytes);
    }
    this.#bytes.write(text, reserve * 2, "utf16le");
    this.length = length;
  }
}

function unitsOf(bytes: Buffer): Uint16Array {
  return new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1);
}
