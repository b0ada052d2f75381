import type { AddedId } from "./added-vocabulary.ts";
import { BpeEngine } from "./bpe-engine.ts";
import { byteSymbolsOf, characterSymbolsOf, joinsOf, mergeTableOf } from "./bpe-model.ts";
import type { CacheBudget } from "./cache-budget.ts";
import { CasedLettersScanner } from "./cased-letters-scanner.ts";
import { JoinCuts, PatternCuts } from "./cuts.ts";
import { IdBuffer } from "./id-buffer.ts";
import { IdRun } from "./id-run.ts";
import { IncrementalEncoder } from "./incremental-encoder.ts";
import { JoinedCharactersScanner } from "./joined-characters-scanner.ts";
import { LettersScanner } from "./letters-scanner.ts";
import type { PairSet } from "./pair-set.ts";
import { RunList } from "./run-list.ts";
import { SplitRunsScanner } from "./split-runs-scanner.ts";
import { TokenMatcher } from "./token-matcher.ts";
import type { EncodedPrompt, EncodeOptions, Tokenizer } from "./tokenizer.ts";
import type { TokenizerPlan } from "./tokenizer-plan.ts";
import { WordEncoder } from "./word-encoder.ts";
import type { FillRandom } from "./word-hash.ts";
import type { WordPattern } from "./word-pattern.ts";
import type { WordScanner } from "./word-scanner.ts";

/** Prompts up to here are encoded in one step, in UTF-16 units: about 2 ms of text that is all new. */
const unitsAtOnce = 32_768;
/** Units of new text between two turns of the event loop: about 1 ms. */
const unitsPerTurn = 16_384;

/** The engine of this project: the ids of the official one, from a cache of all text met lately. Synchronous but for long new text, which is encoded in turns. */
export class ExactTokenizer implements Tokenizer {
  readonly vocabularySize: number;
  readonly #encoder: IncrementalEncoder;
  readonly #before: IdRun;
  readonly #after: IdRun;
  readonly #ids = new IdBuffer();

  /** @throws UnsupportedFeature when the model's own tables miss what the plan takes for granted */
  constructor(plan: TokenizerPlan, budget: CacheBudget, fillRandom: FillRandom, maxUncutUnits: number) {
    this.#encoder = buildEncoder(plan, budget, fillRandom, maxUncutUnits);
    this.#before = new IdRun(Uint32Array.from(plan.affixes.before));
    this.#after = new IdRun(Uint32Array.from(plan.affixes.after));
    this.vocabularySize = idBound(plan);
  }

  encode(text: string, { addSpecialTokens }: EncodeOptions): Uint32Array {
    const runs = new RunList(this.#ids);
    if (addSpecialTokens) runs.addRun(this.#before);
    this.#encoder.append(text, true, runs);
    if (addSpecialTokens) runs.addRun(this.#after);
    return runs.takeIds();
  }

  encodePieces(pieces: readonly string[], options: EncodeOptions): EncodedPrompt | Promise<EncodedPrompt> {
    let units = 0;
    for (const piece of pieces) units += piece.length;
    return units <= unitsAtOnce ? this.#encodeNow(pieces, options) : this.#encodeInTurns(pieces, options);
  }

  /** New text waits for other work every few milliseconds; known text does not wait at all. */
  async #encodeInTurns(pieces: readonly string[], options: EncodeOptions): Promise<EncodedPrompt> {
    let units = 0;
    for (const step of this.#encoder.prepare(pieces, options.addSpecialTokens ? this.#before : undefined)) {
      units += step;
      if (units < unitsPerTurn) continue;
      units = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    return this.#encodeNow(pieces, options);
  }

  #encodeNow(pieces: readonly string[], { addSpecialTokens }: EncodeOptions): EncodedPrompt {
    const affixes = addSpecialTokens ? { before: this.#before, after: this.#after } : undefined;
    return this.#encoder.encodePieces(pieces, affixes, new RunList(this.#ids));
  }
}

function buildEncoder(
  plan: TokenizerPlan,
  budget: CacheBudget,
  fillRandom: FillRandom,
  maxUncutUnits: number,
): IncrementalEncoder {
  const { addedTokens, model, normalizer, pattern } = plan;
  const raw = addedTokens.filter((token) => !token.normalized);
  const normalized = addedTokens.filter((token) => token.normalized);
  const isJoined = pattern.kind === "joined";
  const joins = isJoined ? joinsOf(model, contentsOf(addedTokens)) : undefined;
  const symbols = isJoined ? characterSymbolsOf(model) : byteSymbolsOf(model);
  const engine = new BpeEngine({
    rawTokens: matcherOf(raw),
    normalizedTokens: matcherOf(normalized),
    normalizer,
    metaspace: isJoined ? pattern.metaspace : undefined,
    scanner: scannerOf(pattern, joins),
    words: new WordEncoder(symbols, mergeTableOf(model), fillRandom),
  });
  const isItsNormalForm = !normalizer.nfc && !normalizer.prepends && !normalizer.replacesSpaces;
  const cutsAtNormalized = isItsNormalForm && normalized.length > 0;
  return new IncrementalEncoder(
    {
      engine,
      cuts:
        joins === undefined
          ? new PatternCuts(contentsOf(addedTokens))
          : new JoinCuts(joins, engine.prefixesEveryPiece ? contentsOf(raw) : []),
      anchors: matcherOf(cutsAtNormalized ? raw : anchorsAmong(raw)),
      innerAnchors: cutsAtNormalized ? matcherOf(normalized) : undefined,
      maxUncutUnits,
    },
    budget,
  );
}

function scannerOf(pattern: WordPattern, joins: PairSet | undefined): WordScanner {
  switch (pattern.kind) {
    case "letters":
      return new LettersScanner(pattern);
    case "cased-letters":
      return new CasedLettersScanner(pattern);
    case "split-runs":
      return new SplitRunsScanner();
    case "joined":
      return new JoinedCharactersScanner(joins, pattern.metaspace?.split === true);
  }
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

function matcherOf(tokens: readonly AddedId[]): TokenMatcher | undefined {
  return tokens.length === 0 ? undefined : new TokenMatcher(tokens.map(({ content, id }) => [content, id]));
}

/** Ids can be sparse: the count of the vocabulary is no bound. */
function idBound({ addedTokens, model }: TokenizerPlan): number {
  let bound = 0;
  for (const id of model.vocabulary.values()) bound = Math.max(bound, id + 1);
  for (const { id } of addedTokens) bound = Math.max(bound, id + 1);
  return bound;
}
