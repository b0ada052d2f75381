import { codePointAt, widthOf } from "./code-units.ts";
import { writeUtf8 } from "./utf8.ts";

/** What a word's symbols are made from, in memory that threads can share. */
export type SymbolTables =
  | {
      readonly kind: "bytes";
      readonly idOfByte: Int32Array;
    }
  | {
      readonly kind: "characters";
      readonly idOfByte: Int32Array;
      /** Ids of the BMP's characters, -1 for none. */
      readonly idOfUnit: Int32Array;
      /** Ids of the others, by code point. */
      readonly idOfOther: ReadonlyMap<number, number>;
    };

export function symbolsFrom(tables: SymbolTables): WordSymbols {
  return tables.kind === "bytes" ? new ByteSymbols(tables) : new CharacterSymbols(tables);
}

/** Turns a word into the symbols that its merges start from. */
export interface WordSymbols {
  /** Symbols that a word of `length` units has at most. */
  bound(length: number): number;
  /**
   * Writes the symbols of `units[start, end)`.
   * @param out at least `bound(end - start)` elements
   * @returns how many
   */
  write(units: Uint16Array, start: number, end: number, out: Int32Array): number;
}

/** Byte-level models: one symbol a UTF-8 byte. */
class ByteSymbols implements WordSymbols {
  readonly #idOfByte: Int32Array;

  constructor({ idOfByte }: Extract<SymbolTables, { kind: "bytes" }>) {
    this.#idOfByte = idOfByte;
  }

  bound(length: number): number {
    return length * 3;
  }

  write(units: Uint16Array, start: number, end: number, out: Int32Array): number {
    const count = writeUtf8(units, start, end, out);
    for (let index = 0; index < count; index++) out[index] = this.#idOfByte[out[index] as number] as number;
    return count;
  }
}

/** SentencePiece BPE: one symbol a character; one a UTF-8 byte where the vocabulary has no such character. */
class CharacterSymbols implements WordSymbols {
  readonly #idOfUnit: Int32Array;
  readonly #idOfOther: ReadonlyMap<number, number>;
  readonly #idOfByte: Int32Array;
  readonly #bytes = new Int32Array(4);

  constructor({ idOfUnit, idOfOther, idOfByte }: Extract<SymbolTables, { kind: "characters" }>) {
    this.#idOfUnit = idOfUnit;
    this.#idOfOther = idOfOther;
    this.#idOfByte = idOfByte;
  }

  bound(length: number): number {
    return length * 3;
  }

  write(units: Uint16Array, start: number, end: number, out: Int32Array): number {
    let count = 0;
    for (let index = start; index < end; ) {
      const point = codePointAt(units, index, end);
      const following = index + widthOf(point);
      const id = point < 0x1_0000 ? (this.#idOfUnit[point] as number) : (this.#idOfOther.get(point) ?? -1);
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
