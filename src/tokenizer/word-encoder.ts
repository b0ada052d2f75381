import type { IdBuffer } from "./id-buffer.ts";
import type { MergeTable } from "./merge-table.ts";
import { Merger } from "./merger.ts";
import type { WholeWords } from "./whole-words.ts";
import type { WordCache } from "./word-cache.ts";
import type { WordSymbols } from "./word-symbols.ts";

const keptSymbols = 1 << 12;

export interface WordEncoderParts {
  readonly symbols: WordSymbols;
  readonly merges: MergeTable;
  readonly wholeWords: WholeWords;
  readonly cache: WordCache;
}

/** Token ids of single words. */
export class WordEncoder {
  readonly #symbols: WordSymbols;
  readonly #merger: Merger;
  readonly #wholeWords: WholeWords;
  readonly #cache: WordCache;
  /** Ids of words of one UTF-16 unit, -1 where not met yet or more than one: every fourth word of code. */
  readonly #idOfUnit = new Int32Array(0x1_0000).fill(-1);

  constructor({ symbols, merges, wholeWords, cache }: WordEncoderParts) {
    this.#symbols = symbols;
    this.#merger = new Merger(merges);
    this.#wholeWords = wholeWords;
    this.#cache = cache;
  }

  /** Appends the ids of the word `units[start, end)`. O(n log n) in its length. */
  append(units: Uint16Array, start: number, end: number, out: IdBuffer): void {
    if (end - start === 1) {
      const id = this.#idOfUnit[units[start] as number] as number;
      if (id >= 0) out.push(id);
      else this.#appendNew(units, start, end, out);
    } else if (!this.#cache.append(units, start, end, out)) {
      this.#appendNew(units, start, end, out);
    }
  }

  #appendNew(units: Uint16Array, start: number, end: number, out: IdBuffer): void {
    const { symbols } = this.#merger;
    const whole = this.#wholeWords.find(units, start, end);
    if (whole < 0) {
      this.#merge(units, start, end, out);
      return;
    }
    symbols[0] = whole;
    out.push(whole);
    this.#remember(units, start, end, 1);
  }

  #merge(units: Uint16Array, start: number, end: number, out: IdBuffer): void {
    const merger = this.#merger;
    merger.reserve(this.#symbols.bound(end - start));
    const count = merger.merge(this.#symbols.write(units, start, end, merger.symbols));
    out.append(merger.symbols, 0, count);
    this.#remember(units, start, end, count);
    merger.shrink(keptSymbols);
  }

  /** The ids are the first `count` of the merger's symbols. */
  #remember(units: Uint16Array, start: number, end: number, count: number): void {
    const { symbols } = this.#merger;
    if (end - start > 1) this.#cache.add(units, start, end, symbols, count);
    else if (count === 1) this.#idOfUnit[units[start] as number] = symbols[0] as number;
  }
}
