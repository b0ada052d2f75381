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
import type { EncodedPrompt, EncodeOptions, EncodePiecesOptions, PromptHead, Tokenizer } from "./tokenizer.ts";
import { WholeWords } from "./whole-words.ts";
import { WordCache } from "./word-cache.ts";
import { WordEncoder } from "./word-encoder.ts";
import type { FillRandom } from "./word-hash.ts";
import type { WordScanner } from "./word-scanner.ts";
import { symbolsFrom } from "./word-symbols.ts";

const maxSpareBuffers = 4;
/** New text is encoded for this long between two turns of the event loop; a step more may follow. */
const sliceMs = 1;

export interface ExactTokenizerParts {
  readonly budget: CacheBudget;
  readonly fillRandom: FillRandom;
  /** Longest text without a cut that is encoded, in UTF-16 units: it takes one uninterrupted step. */
  readonly maxUncutUnits: number;
  /** Whether prompts are encoded without their NUL characters. */
  readonly dropsNul: boolean;
  /** Milliseconds on a monotonic scale. */
  readonly now: () => number;
}

/** The engine of this project: the ids of the official one, from a cache of all text met lately. Synchronous but for long new text, which is encoded in turns. */
export class ExactTokenizer implements Tokenizer {
  readonly dropsNul: boolean;
  readonly vocabularySize: number;
  readonly #encoder: IncrementalEncoder;
  readonly #before: IdRun;
  readonly #after: IdRun;
  /** Buffers that no prompt uses at the moment. */
  readonly #spareIds: IdBuffer[] = [];
  readonly #now: () => number;

  constructor(compiled: CompiledTokenizer, parts: ExactTokenizerParts) {
    this.#encoder = buildEncoder(compiled, parts);
    this.#now = parts.now;
    this.dropsNul = parts.dropsNul;
    this.#before = new IdRun(Uint32Array.from(compiled.affixes.before));
    this.#after = new IdRun(Uint32Array.from(compiled.affixes.after));
    this.vocabularySize = compiled.vocabularySize;
  }

  encode(text: string, { addSpecialTokens }: EncodeOptions): Uint32Array {
    const ids = this.#spareIds.pop() ?? new IdBuffer();
    const runs = new RunList(ids);
    if (addSpecialTokens) runs.addRun(this.#before);
    finish(this.#encoder.append(text, runs));
    if (addSpecialTokens) runs.addRun(this.#after);
    const taken = runs.takeIds();
    this.#giveBack(ids);
    return taken;
  }

  encodePieces(
    pieces: readonly string[],
    { addSpecialTokens, ownText, keepsNul = false }: EncodePiecesOptions,
  ): EncodedPrompt | Promise<EncodedPrompt> {
    const affixes = addSpecialTokens ? { before: this.#before, after: this.#after } : undefined;
    const ids = this.#spareIds.pop() ?? new IdBuffer();
    // What is kept of prompts holds no NUL where others are dropped, so that such a text is encoded for itself.
    const steps =
      keepsNul && this.dropsNul && pieces.some((piece) => piece.includes("\0"))
        ? this.#encoder.encodeOnce(pieces.join(""), affixes, new RunList(ids))
        : this.#encoder.encodePieces(pieces, affixes, new RunList(ids), ownText);
    const encoded = this.#runSlice(steps);
    if (encoded === undefined) return this.#encodeInTurns(steps, ids);
    this.#giveBack(ids);
    return encoded;
  }

  remember(head: PromptHead, ids: Uint32Array): void {
    this.#encoder.remember(head, ids, head.addSpecialTokens ? this.#before : undefined);
  }

  /** New text waits for other work every few milliseconds. */
  async #encodeInTurns(steps: Generator<number, EncodedPrompt>, ids: IdBuffer): Promise<EncodedPrompt> {
    for (;;) {
      await new Promise((resolve) => setImmediate(resolve));
      const encoded = this.#runSlice(steps);
      if (encoded === undefined) continue;
      this.#giveBack(ids);
      return encoded;
    }
  }

  #giveBack(ids: IdBuffer): void {
    if (this.#spareIds.length < maxSpareBuffers) this.#spareIds.push(ids);
  }

  /** Takes steps until the time of a slice is over. Undefined when there are more. */
  #runSlice(steps: Generator<number, EncodedPrompt>): EncodedPrompt | undefined {
    const end = this.#now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (this.#now() < end);
    return undefined;
  }
}

function finish<T>(steps: Generator<number, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function buildEncoder(
  compiled: CompiledTokenizer,
  { budget, fillRandom, maxUncutUnits, dropsNul }: ExactTokenizerParts,
): IncrementalEncoder {
  const { pattern } = compiled;
  const engine = new BpeEngine({
    rawTokens: matcherOf(compiled.rawTokens),
    normalizedTokens: matcherOf(compiled.normalizedTokens),
    normalizer: compiled.normalizer,
    metaspace: pattern.kind === "joined" ? pattern.metaspace : undefined,
    prefixesEveryPiece: prefixesEveryPiece(compiled),
    scanner: scannerOf(compiled),
    words: new WordEncoder({
      symbols: symbolsFrom(compiled.symbols),
      merges: new MergeTable(compiled.merges),
      wholeWords: new WholeWords(compiled.wholeWords),
      cache: new WordCache(fillRandom),
    }),
  });
  const parts = {
    engine,
    cuts: cutsOf(compiled),
    anchors: matcherOf(compiled.anchors),
    innerAnchors: matcherOf(compiled.innerAnchors),
    maxUncutUnits,
  };
  return new IncrementalEncoder(parts, budget, dropsNul);
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
