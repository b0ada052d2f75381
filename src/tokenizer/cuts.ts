import { metaspace } from "./joined-characters-scanner.ts";
import type { PairSet } from "./pair-set.ts";
import { unicodeClasses, whiteSpace } from "./unicode-classes.ts";

const space = 0x20;
const lineFeed = 0x0a;
const slash = 0x2f;

/** Knows the places of a text that tokens never cross and over which nothing on one side can change the tokens of the other. */
export interface Cuts {
  /** Whether the text may be cut between two neighbouring UTF-16 units. */
  between(before: number, after: number): boolean;
}

/** First cut of `text` in `from` <= index < `limit`, or -1; `from` >= 1. */
export function firstCut(cuts: Cuts, text: string, from: number, limit: number): number {
  let before = text.charCodeAt(from - 1);
  for (let index = from; index < limit; index++) {
    const after = text.charCodeAt(index);
    if (cuts.between(before, after)) return index;
    before = after;
  }
  return -1;
}

/** Last cut of `text` in `limit` < index <= `from`, or -1; `limit` >= 0, `from` < length. */
export function lastCut(cuts: Cuts, text: string, from: number, limit: number): number {
  let after = text.charCodeAt(from);
  for (let index = from; index > limit; index--) {
    const before = text.charCodeAt(index - 1);
    if (cuts.between(before, after)) return index;
    after = before;
  }
  return -1;
}

/** Which of the places for cuts a model has. */
export interface PatternCutRules {
  readonly beforeSpaces: boolean;
  readonly afterLineFeeds: boolean;
}

/** @param tokens added tokens, in which no cut may fall */
export function patternCutRules(tokens: readonly string[]): PatternCutRules {
  return {
    beforeSpaces: !tokens.some((token) => /[^ ] /.test(token)),
    afterLineFeeds: !tokens.some((token) => /\n[^\n]/.test(token)),
  };
}

/**
 * Cuts for the patterns of letters-scanner, cased-letters-scanner and split-runs-scanner. Before a space that follows something else: a space only ever begins a
 * word, no alternative looks behind, and none looks ahead but from white space. After a line feed that something else follows: it ends a word in every alternative (in the
 * cased pattern a slash may follow), and begins none that goes on. NFC neither composes nor reorders across either.
 */
export class PatternCuts implements Cuts {
  readonly #beforeSpaces: boolean;
  readonly #afterLineFeeds: boolean;

  constructor({ beforeSpaces, afterLineFeeds }: PatternCutRules) {
    this.#beforeSpaces = beforeSpaces;
    this.#afterLineFeeds = afterLineFeeds;
  }

  between(before: number, after: number): boolean {
    if (after === space) return this.#beforeSpaces && ((unicodeClasses[before] as number) & whiteSpace) === 0;
    if (before !== lineFeed || after === slash || !this.#afterLineFeeds) return false;
    return ((unicodeClasses[after] as number) & whiteSpace) === 0;
  }
}

/** Cuts for models whose words end where no merge joins two characters (joined-characters-scanner). */
export class JoinCuts implements Cuts {
  readonly #joins: PairSet;
  readonly #blocked: ReadonlySet<number>;

  /**
   * @param joins as of the scanner, with the neighbours inside added tokens
   * @param blocked the last unit of each text behind which the model puts U+2581: no cut may fall there
   */
  constructor(joins: PairSet, blocked: ReadonlySet<number>) {
    this.#joins = joins;
    this.#blocked = blocked;
  }

  between(before: number, after: number): boolean {
    if (isSurrogate(before) || isSurrogate(after) || this.#blocked.has(before)) return false;
    return !this.#joins.mayHave(normalised(before), normalised(after));
  }
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdfff;
}

function normalised(unit: number): number {
  return unit === space ? metaspace : unit;
}
