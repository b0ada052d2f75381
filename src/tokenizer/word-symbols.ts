import { codePointAt, widthOf } from "./code-units.ts";
import { writeUtf8 } from "./utf8.ts";
import type { WholeWords } from "./whole-words.ts";

/** Turns a word into the symbols that its merges start from. */
export interface WordSymbols {
  /** Symbols that a word of `length` units has at most. */
  bound(length: number): number;
  /**
   * Writes the symbols of `units[start, end)`.
   * @param out at least `bound(end - start)` elements
   * @returns how many; -1 when the word is a token by itself, whose id is then `out[0]`
   */
  write(units: Uint16Array, start: number, end: number, out: Int32Array): number;
}

/** Byte-level models: one symbol a UTF-8 byte. */
export class ByteSymbols implements WordSymbols {
  readonly #idOfByte: Int32Array;
  readonly #wholeWords: WholeWords | undefined;

  /** @param wholeWords for models with `ignore_merges` */
  constructor(idOfByte: Int32Array, wholeWords: WholeWords | undefined) {
    this.#idOfByte = idOfByte;
    this.#wholeWords = wholeWords;
  }

  bound(length: number): number {
    return length * 3;
  }

  write(units: Uint16Array, start: number, end: number, out: Int32Array): number {
    const count = writeUtf8(units, start, end, out);
    const whole = this.#wholeWords?.find(out, count) ?? -1;
    if (whole >= 0) {
      out[0] = whole;
      return -1;
    }
    for (let index = 0; index < count; index++) out[index] = this.#idOfByte[out[index] as number] as number;
    return count;
  }
}

/** SentencePiece BPE: one symbol a character; one a UTF-8 byte where the vocabulary has no such character. */
export class CharacterSymbols implements WordSymbols {
  readonly #idOfCharacter: ReadonlyMap<number, number>;
  /** Ids of the BMP's characters, -1 for none: the map's copy for the common case. */
  readonly #idOfUnit = new Int32Array(0x1_0000).fill(-1);
  readonly #idOfByte: Int32Array;
  readonly #bytes = new Int32Array(4);

  /** @param idOfCharacter by code point */
  constructor(idOfCharacter: ReadonlyMap<number, number>, idOfByte: Int32Array) {
    this.#idOfCharacter = idOfCharacter;
    this.#idOfByte = idOfByte;
    for (const [point, id] of idOfCharacter) {
      if (point < this.#idOfUnit.length) this.#idOfUnit[point] = id;
    }
  }

  bound(length: number): number {
    return length * 3;
  }

  write(units: Uint16Array, start: number, end: number, out: Int32Array): number {
    let count = 0;
    for (let index = start; index < end; ) {
      const point = codePointAt(units, index, end);
      const following = index + widthOf(point);
      const id = point < 0x1_0000 ? (this.#idOfUnit[point] as number) : (this.#idOfCharacter.get(point) ?? -1);
      if (id >= 0) out[count++] = id;
      else count = this.#writeBytes(units, index, following, out, count);
      index = following;
    }
    return count;
  }

  #writeBytes(units: Uint16Array, start: number, end: number, out: Int32Array, position: number): number {
    const bytes = this.#bytes;
    const length = writeUtf8(units, start, end, bytes);
    for (let index = 0; index < length; index++)
      out[position + index] = this.#idOfByte[bytes[index] as number] as number;
    return position + length;
  }
}
