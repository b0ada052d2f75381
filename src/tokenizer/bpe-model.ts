import { characterOfByte } from "./byte-alphabet.ts";
import { metaspace } from "./joined-characters-scanner.ts";
import { asList, asShape, type Shape } from "./json-shape.ts";
import { MergeTable } from "./merge-table.ts";
import { PairSet } from "./pair-set.ts";
import { sharedInt32 } from "./shared-arrays.ts";
import { UnsupportedFeature } from "./unsupported-feature.ts";
import { byteLevelWords, mergedWords } from "./whole-word-list.ts";
import { buildWholeWords, type WholeWordTable } from "./whole-words.ts";
import { type SymbolTables, symbolsFrom } from "./word-symbols.ts";

/** A model of type BPE as its tokenizer.json describes it. */
export interface BpeModel {
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly merges: readonly (readonly [string, string])[];
  readonly ignoreMerges: boolean;
  readonly byteFallback: boolean;
}

/** @throws UnsupportedFeature when it is not BPE, drops merges at random, or marks parts of words */
export function readBpeModel(component: unknown): BpeModel {
  const model = asShape(component, "model");
  const dropout = model["dropout"] ?? 0;
  if (model["type"] !== "BPE" || dropout !== 0) throw new UnsupportedFeature(`model ${String(model["type"])}`);
  for (const affix of ["continuing_subword_prefix", "end_of_word_suffix"]) {
    if ((model[affix] ?? "") !== "") throw new UnsupportedFeature(affix);
  }
  return {
    vocabulary: readVocabulary(asShape(model["vocab"], "vocab")),
    merges: asList(model["merges"], "merges").filter(isNoHeader).map(readMerge),
    ignoreMerges: model["ignore_merges"] === true,
    byteFallback: model["byte_fallback"] === true,
  };
}

/** Ranks, pairs and results of the merges. */
export function mergeTableOf({ vocabulary, merges }: BpeModel, symbols: SymbolTables): MergeTable {
  let idBound = 0;
  for (const id of vocabulary.values()) idBound = Math.max(idBound, id + 1);
  const table = MergeTable.empty(merges.length, commonSymbols(symbols), idBound);
  merges.forEach(([left, right], rank) => {
    table.add(idOf(vocabulary, left), idOf(vocabulary, right), rank, idOf(vocabulary, left + right));
  });
  return table;
}

/** Ids of ASCII first, then of other bytes; of characters, U+2581 as well. */
function commonSymbols(symbols: SymbolTables): readonly number[] {
  const ascii = Array.from({ length: 128 }, (_, unit) => unit);
  if (symbols.kind === "bytes") return [...symbols.idOfByte];
  return [...ascii, metaspace].map((unit) => symbols.idOfUnit[unit] as number).filter((id) => id >= 0);
}

/** Symbols of a byte-level model. @throws UnsupportedFeature when a byte has no token */
export function byteSymbolsOf({ vocabulary }: BpeModel): SymbolTables {
  const idOfByte = Int32Array.from(characterOfByte, (character) => idOf(vocabulary, character));
  return { kind: "bytes", idOfByte };
}

/** Symbols of a SentencePiece model. @throws UnsupportedFeature when a character could become neither itself nor bytes */
export function characterSymbolsOf(model: BpeModel): SymbolTables {
  const { vocabulary, merges } = model;
  if (!model.byteFallback || model.ignoreMerges)
    throw new UnsupportedFeature("BPE without bytes that takes the whole text");
  // Gemma 1 and 2 have the tab, and so no token for its byte.
  const idOfByte = Int32Array.from({ length: 256 }, (_, byte) =>
    byte < 0x80 && vocabulary.has(String.fromCharCode(byte)) ? -1 : idOf(vocabulary, byteToken(byte)),
  );
  const byteTokens = new Set(Array.from({ length: 256 }, (_, byte) => byteToken(byte)));
  // The border between words is judged by characters; a merge of bytes would have none.
  if (merges.some(([left, right]) => byteTokens.has(left) || byteTokens.has(right))) {
    throw new UnsupportedFeature("merges of bytes");
  }
  const idOfUnit = sharedInt32(0x1_0000).fill(-1);
  const idOfOther = new Map<number, number>();
  for (const [token, id] of vocabulary) {
    const point = token.codePointAt(0) ?? 0;
    if (token.length !== (point > 0xffff ? 2 : 1)) continue;
    if (point > 0xffff) idOfOther.set(point, id);
    else idOfUnit[point] = id;
  }
  return { kind: "characters", idOfByte, idOfUnit, idOfOther };
}

/** Words that are one token: with `ignore_merges` every token is, otherwise those that the merges make. */
export function wholeWordsOf(model: BpeModel, symbols: SymbolTables, merges: MergeTable): WholeWordTable {
  const { vocabulary, ignoreMerges } = model;
  const words = symbols.kind === "bytes" ? byteLevelWords(vocabulary) : [...vocabulary];
  return buildWholeWords(ignoreMerges ? words : mergedWords(words, symbolsFrom(symbols), merges));
}

/** Characters that some merge, or an added token, holds side by side. */
export function joinsOf({ merges }: BpeModel, addedTokens: Iterable<string>): PairSet {
  const joins = new PairSet();
  for (const [left, right] of merges) joins.add(lastCodePoint(left), right.codePointAt(0) ?? 0);
  for (const token of addedTokens) {
    const points = Array.from(token, (character) => character.codePointAt(0) ?? 0);
    for (let index = 1; index < points.length; index++) joins.add(points[index - 1] ?? 0, points[index] ?? 0);
  }
  return joins;
}

function readVocabulary(shape: Shape): ReadonlyMap<string, number> {
  const vocabulary = new Map<string, number>();
  for (const [token, id] of Object.entries(shape)) {
    if (typeof id !== "number") throw new UnsupportedFeature("an id that is not a number");
    vocabulary.set(token, id);
  }
  return vocabulary;
}

/** Old files carry the first line of a merges.txt. */
function isNoHeader(merge: unknown): boolean {
  return !(typeof merge === "string" && merge.startsWith("#version"));
}

function readMerge(merge: unknown): readonly [string, string] {
  const [left, right, ...others] = typeof merge === "string" ? merge.split(" ") : asList(merge, "merges");
  if (typeof left !== "string" || typeof right !== "string" || others.length > 0)
    throw new UnsupportedFeature("a merge");
  return [left, right];
}

function idOf(vocabulary: ReadonlyMap<string, number>, token: string): number {
  const id = vocabulary.get(token);
  if (id === undefined) throw new UnsupportedFeature(`${JSON.stringify(token)} is not in the vocabulary`);
  return id;
}

function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, "0")}>`;
}

function lastCodePoint(text: string): number {
  const point = text.codePointAt(text.length - 2) ?? 0;
  return point > 0xffff ? point : text.charCodeAt(text.length - 1);
}
