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

  /**
   * @param joins last character of a merge's left side, first of its right side
   * @param splitsAtMetaspace whether each U+2581 begins a word (Metaspace with `split: true`)
   */
  constructor(joins: PairSet, splitsAtMetaspace: boolean) {
    this.#joins = joins;
    this.#splitsAtMetaspace = splitsAtMetaspace;
  }

  reset(): void {}

  next(units: Uint16Array, start: number, end: number): number {
    let last = codePointAt(units, start, end);
    let index = start + widthOf(last);
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
