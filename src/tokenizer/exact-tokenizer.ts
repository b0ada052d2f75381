import { BpeEngine } from "./bpe-engine.ts";
import type { CacheBudget } from "./cache-budget.ts";
import { CasedLettersScanner } from "./cased-letters-scanner.ts";
import { type CompiledTokenizer, prefixesEveryPiece } from "./compiled-tokenizer.ts";
import { type Cuts, JoinCuts, PatternCuts } from "./cuts.ts";
import { IdBuffer } from "./id-buffer.ts";
import { IdRun } from "./id-run.ts";
import { IncrementalEncoder } from "./incremental-encoder.ts";
import { JoinedCharactersScanner } from "./joined-characters-scanner.ts";
import { LettersScanner } from "./letters-scanner.ts";
import { MergeTable } from "./merge-table.ts";
import { PairSet } from "./pair-set.ts";
import { RunList } from "./run-list.ts";
import { SplitRunsScanner } from "./split-runs-scanner.ts";
import { TokenMatcher } from "./token-matcher.ts";
import type { TokenTrie } from "./token-trie.ts";
import type { EncodedPrompt, EncodeOptions, Tokenizer } from "./tokenizer.ts";
import { WordEncoder } from "./word-encoder.ts";
import type { FillRandom } from "./word-hash.ts";
import type { WordScanner } from "./word-scanner.ts";
import { symbolsFrom } from "./word-symbols.ts";

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

  constructor(compiled: CompiledTokenizer, budget: CacheBudget, fillRandom: FillRandom, maxUncutUnits: number) {
    this.#encoder = buildEncoder(compiled, budget, fillRandom, maxUncutUnits);
    this.#before = new IdRun(Uint32Array.from(compiled.affixes.before));
    this.#after = new IdRun(Uint32Array.from(compiled.affixes.after));
    this.vocabularySize = compiled.vocabularySize;
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
  compiled: CompiledTokenizer,
  budget: CacheBudget,
  fillRandom: FillRandom,
  maxUncutUnits: number,
): IncrementalEncoder {
  const { pattern } = compiled;
  const engine = new BpeEngine({
    rawTokens: matcherOf(compiled.rawTokens),
    normalizedTokens: matcherOf(compiled.normalizedTokens),
    normalizer: compiled.normalizer,
    metaspace: pattern.kind === "joined" ? pattern.metaspace : undefined,
    prefixesEveryPiece: prefixesEveryPiece(compiled),
    scanner: scannerOf(compiled),
    words: new WordEncoder(symbolsFrom(compiled.symbols), new MergeTable(compiled.merges), fillRandom),
  });
  const parts = {
    engine,
    cuts: cutsOf(compiled),
    anchors: matcherOf(compiled.anchors),
    innerAnchors: matcherOf(compiled.innerAnchors),
    maxUncutUnits,
  };
  return new IncrementalEncoder(parts, budget);
}

function scannerOf({ pattern, cuts }: CompiledTokenizer): WordScanner {
  switch (pattern.kind) {
    case "letters":
      return new LettersScanner(pattern);
    case "cased-letters":
      return new CasedLettersScanner(pattern);
    case "split-runs":
      return new SplitRunsScanner();
    case "joined":
      return new JoinedCharactersScanner(
        new PairSet("joins" in cuts ? cuts.joins : undefined),
        pattern.metaspace?.split === true,
      );
  }
}

function cutsOf({ cuts }: CompiledTokenizer): Cuts {
  return "joins" in cuts ? new JoinCuts(new PairSet(cuts.joins), cuts.blocked) : new PatternCuts(cuts);
}

function matcherOf(trie: TokenTrie | undefined): TokenMatcher | undefined {
  return trie === undefined ? undefined : new TokenMatcher(trie);
}
