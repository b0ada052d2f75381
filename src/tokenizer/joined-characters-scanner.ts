import { codePointAt, widthOf } from "./code-units.ts";
import type { PairSet } from "./pair-set.ts";
import type { WordScanner } from "./word-scanner.ts";

/** SentencePiece's stand-in for a space, U+2581. */
export const metaspace = 0x2581;

/**
 * For models whose merges see the whole text (SentencePiece BPE): a word ends where no merge joins the two characters at the border. No
 * merge can ever cross such a place, so the words' merges do not see each other and the tokens are the same.
 */
export class JoinedCharactersScanner implements WordScanner {
  readonly #joins: PairSet;
  readonly #splitsAtMetaspace: boolean;
  /** Whether two common characters are joined, by their numbers: in a few lines of memory. */
  readonly #commonJoins: Uint8Array;

  /**
   * @param joins last character of a merge's left side, first of its right side
   * @param splitsAtMetaspace whether each U+2581 begins a word (Metaspace with `split: true`)
   */
  constructor(joins: PairSet, splitsAtMetaspace: boolean) {
    this.#joins = joins;
    this.#splitsAtMetaspace = splitsAtMetaspace;
    this.#commonJoins = commonJoins(joins, splitsAtMetaspace);
  }

  reset(): void {}

  next(units: Uint16Array, start: number, end: number): number {
    const common = this.#commonJoins;
    let before = commonNumber(units[start] as number);
    let index = start + 1;
    while (before >= 0 && index < end) {
      const after = commonNumber(units[index] as number);
      if (after < 0) break;
      if (common[(before << commonBits) | after] === 0) return index;
      before = after;
      index++;
    }
    return index >= end ? end : this.#nextOfAny(units, start, index - 1, end);
  }

  /** End of the word, of which the characters up to the one at `from` are known to be joined. */
  #nextOfAny(units: Uint16Array, start: number, from: number, end: number): number {
    let last = codePointAt(units, Math.max(start, from), end);
    let index = Math.max(start, from) + widthOf(last);
    while (index < end) {
      const point = codePointAt(units, index, end);
      if (point === metaspace && this.#splitsAtMetaspace) break;
      if (!this.#joins.mayHave(last, point)) break;
      last = point;
      index += widthOf(point);
    }
    return index;
  }
}

const commonBits = 8;
const metaspaceNumber = 128;

/** ASCII characters and U+2581 have numbers; -1 for the others. */
function commonNumber(unit: number): number {
  if (unit < 128) return unit;
  return unit === metaspace ? metaspaceNumber : -1;
}

function commonJoins(joins: PairSet, splitsAtMetaspace: boolean): Uint8Array {
  const table = new Uint8Array(1 << (2 * commonBits));
  const points = [...Array.from({ length: 128 }, (_, unit) => unit), metaspace];
  for (const [first, left] of points.entries()) {
    for (const [second, right] of points.entries()) {
      const isJoined = joins.mayHave(left, right) && !(splitsAtMetaspace && right === metaspace);
      table[(first << commonBits) | second] = isJoined ? 1 : 0;
    }
  }
  return table;
}
