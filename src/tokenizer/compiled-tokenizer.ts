import type { AddedId } from "./added-vocabulary.ts";
import { byteSymbolsOf, characterSymbolsOf, joinsOf, mergeTableOf, wholeWordsOf } from "./bpe-model.ts";
import { type PatternCutRules, patternCutRules } from "./cuts.ts";
import type { MergeSlots } from "./merge-table.ts";
import { isIdentity, type Normalizer } from "./normalizer.ts";
import type { SpecialAffixes } from "./special-affixes.ts";
import { buildTokenTrie, type TokenTrie } from "./token-trie.ts";
import type { TokenizerPlan } from "./tokenizer-plan.ts";
import type { WholeWordTable } from "./whole-words.ts";
import type { WordPattern } from "./word-pattern.ts";
import type { SymbolTables } from "./word-symbols.ts";

/**
 * All that the exact engine takes from a tokenizer.json, made once: plain values and arrays in shared memory, which a message to another
 * thread hands over in well under a millisecond. Nobody writes to them.
 */
export interface CompiledTokenizer {
  readonly pattern: WordPattern;
  readonly normalizer: Normalizer;
  readonly affixes: SpecialAffixes;
  readonly symbols: SymbolTables;
  readonly merges: MergeSlots;
  readonly wholeWords: WholeWordTable;
  readonly cuts: PatternCutRules | JoinCutRules;
  /** Added tokens that are looked for in the text as it is. */
  readonly rawTokens: TokenTrie | undefined;
  /** Those that are looked for in its normal form. */
  readonly normalizedTokens: TokenTrie | undefined;
  /** Added tokens at which a text is always cut. */
  readonly anchors: TokenTrie | undefined;
  /** Added tokens at which a text between anchors is cut in turn. */
  readonly innerAnchors: TokenTrie | undefined;
  /** One more than the highest token id. */
  readonly vocabularySize: number;
  /** The text of the tokens is the normal form of the text that they were made of. */
  readonly decodesToItsText: boolean;
}

/** Of models whose merges see the whole text. */
export interface JoinCutRules {
  /** The memory of a PairSet: characters that a merge or an added token holds side by side. */
  readonly joins: Uint32Array;
  /** Units behind which no cut may fall. */
  readonly blocked: ReadonlySet<number>;
}

/** @throws UnsupportedFeature when the model's own tables miss what the plan takes for granted */
export function compileTokenizer(plan: TokenizerPlan): CompiledTokenizer {
  const { addedTokens, model, normalizer, pattern, affixes } = plan;
  const raw = addedTokens.filter((token) => !token.normalized);
  const normalized = addedTokens.filter((token) => token.normalized);
  const rawTokens = trieOf(raw);
  const normalizedTokens = trieOf(normalized);
  const symbols = pattern.kind === "joined" ? characterSymbolsOf(model) : byteSymbolsOf(model);
  const merges = mergeTableOf(model, symbols);
  const cutsAtNormalized = isIdentity(normalizer) && normalized.length > 0;
  return {
    pattern,
    normalizer,
    affixes,
    symbols,
    merges: merges.memory,
    wholeWords: wholeWordsOf(model, symbols, merges),
    cuts: cutRules(plan, raw),
    rawTokens,
    normalizedTokens,
    anchors: cutsAtNormalized ? rawTokens : trieOf(anchorsAmong(raw)),
    innerAnchors: cutsAtNormalized ? normalizedTokens : undefined,
    vocabularySize: idBound(plan),
    decodesToItsText: plan.decodesToItsText,
  };
}

/** Whether U+2581 is put before each piece between added tokens, not only before the text. */
export function prefixesEveryPiece({ normalizer, pattern }: Pick<TokenizerPlan, "normalizer" | "pattern">): boolean {
  return normalizer.prepends || (pattern.kind === "joined" && pattern.metaspace?.prepend === "always");
}

function cutRules(plan: TokenizerPlan, raw: readonly AddedId[]): PatternCutRules | JoinCutRules {
  const contents = contentsOf(plan.addedTokens);
  if (plan.pattern.kind !== "joined") return patternCutRules(contents);
  const prefixed = prefixesEveryPiece(plan) ? contentsOf(raw) : [];
  return {
    joins: joinsOf(plan.model, contents).memory,
    blocked: new Set(prefixed.map((token) => token.charCodeAt(token.length - 1))),
  };
}

/** As they are and with U+2581 for spaces, as the borders between words see them. */
function contentsOf(tokens: readonly AddedId[]): readonly string[] {
  return tokens.flatMap(({ content }) => [content, content.replaceAll(" ", "\u2581")]);
}

/**
 * The special ones, at which messages begin; HTML tags and line feeds (Gemma 3 adds both) would make pieces too small to be worth keeping. All of
 * them where an ordinary one could hold or overlap a special one and be the match instead.
 */
function anchorsAmong(tokens: readonly AddedId[]): readonly AddedId[] {
  const special = tokens.filter((token) => token.special);
  const others = tokens.filter((token) => !token.special);
  const interferes = others.some((other) => special.some((anchor) => overlaps(other.content, anchor.content)));
  return interferes ? tokens : special;
}

/** Whether `anchor` can begin inside `token`: within it, or at a place from where the two agree to `token`'s end. */
function overlaps(token: string, anchor: string): boolean {
  for (let index = token.indexOf(anchor.charAt(0)); index >= 0; index = token.indexOf(anchor.charAt(0), index + 1)) {
    const rest = token.length - index;
    if (rest >= anchor.length ? token.startsWith(anchor, index) : anchor.startsWith(token.substring(index)))
      return true;
  }
  return false;
}

function trieOf(tokens: readonly AddedId[]): TokenTrie | undefined {
  return buildTokenTrie(tokens.map(({ content, id }) => [content, id]));
}

/** Ids can be sparse: the count of the vocabulary is no bound. */
function idBound({ addedTokens, model }: TokenizerPlan): number {
  let bound = 0;
  for (const id of model.vocabulary.values()) bound = Math.max(bound, id + 1);
  for (const { id } of addedTokens) bound = Math.max(bound, id + 1);
  return bound;
}
