import type { IdBuffer } from "./id-buffer.ts";
import type { MergeTable } from "./merge-table.ts";
import { Merger } from "./merger.ts";
import { WordCache } from "./word-cache.ts";
import type { FillRandom } from "./word-hash.ts";
import type { WordSymbols } from "./word-symbols.ts";

const keptSymbols = 1 << 12;

/** Token ids of single words. */
export class WordEncoder {
  readonly #symbols: WordSymbols;
  readonly #merger: Merger;
  readonly #cache: WordCache;
  /** Ids of words of one UTF-16 unit, -1 where not met yet or more than one: every fourth word of code. */
  readonly #idOfUnit = new Int32Array(0x1_0000).fill(-1);

  constructor(symbols: WordSymbols, merges: MergeTable, fillRandom: FillRandom) {
    this.#symbols = symbols;
    this.#merger = new Merger(merges);
    this.#cache = new WordCache(fillRandom);
  }

  /** Appends the ids of the word `units[start, end)`. O(n log n) in its length. */
  append(units: Uint16Array, start: number, end: number, out: IdBuffer): void {
    if (end - start === 1) {
      const id = this.#idOfUnit[units[start] as number] as number;
      if (id >= 0) out.push(id);
      else this.#merge(units, start, end, out);
    } else if (!this.#cache.append(units, start, end, out)) {
      this.#merge(units, start, end, out);
    }
  }

  #merge(units: Uint16Array, start: number, end: number, out: IdBuffer): void {
    const merger = this.#merger;
    merger.reserve(this.#symbols.bound(end - start));
    const written = this.#symbols.write(units, start, end, merger.symbols);
    const count = written < 0 ? 1 : merger.merge(written);
    out.append(merger.symbols, 0, count);
    if (end - start > 1) this.#cache.add(units, start, end, merger.symbols, count);
    else if (count === 1) this.#idOfUnit[units[start] as number] = merger.symbols[0] as number;
    merger.shrink(keptSymbols);
  }
}
