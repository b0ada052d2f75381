import { bytesOfToken } from "./byte-alphabet.ts";
import type { MergeTable } from "./merge-table.ts";
import { Merger } from "./merger.ts";
import type { WordSymbols } from "./word-symbols.ts";

/** A token as a word that it may be. */
type Entry = readonly [word: string, id: number];

/** Longer words are rare, and kept by the cache of words when they come. */
const maxUnits = 32;

/** Tokens of a byte-level vocabulary that are whole characters. */
export function byteLevelWords(vocabulary: ReadonlyMap<string, number>): readonly Entry[] {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const words: Entry[] = [];
  for (const [token, id] of vocabulary) {
    const bytes = bytesOfToken(token);
    if (bytes === undefined || bytes.length === 0) continue;
    try {
      words.push([decoder.decode(Uint8Array.from(bytes)), id]);
    } catch {
      // Part of a character: never a whole word.
    }
  }
  return words;
}

/** Those that the merges make of their own text: not every token is, as an earlier merge may take a character away from it. */
export function mergedWords(words: readonly Entry[], symbols: WordSymbols, merges: MergeTable): readonly Entry[] {
  const merger = new Merger(merges);
  const units = new Uint16Array(maxUnits);
  return words.filter(([word, id]) => {
    if (word.length === 0 || word.length > maxUnits) return false;
    for (let index = 0; index < word.length; index++) units[index] = word.charCodeAt(index);
    merger.reserve(symbols.bound(word.length));
    const count = merger.merge(symbols.write(units, 0, word.length, merger.symbols));
    return count === 1 && merger.symbols[0] === id;
  });
}
