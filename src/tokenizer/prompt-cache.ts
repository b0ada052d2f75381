import type { IdRun } from "./id-run.ts";
import type { TokenChain } from "./token-chain.ts";

/** How many long pieces from the end are looked up: the new messages of a turn and one that the turn before ended with. */
const maxLookUps = 8;
/** Links that a prompt may be made of; what would come behind stands for itself. */
const maxDepth = 48;
/** Bytes of an entry besides its text and runs. */
const entryBytes = 512;

/** The beginning of a prompt, up to the last cut of a long piece: its ids do not depend on what follows. */
export class KnownPrompt implements TokenChain {
  readonly parent: KnownPrompt | undefined;
  readonly runs: readonly IdRun[];
  readonly length: number;
  /** Its own pieces, after the parent's last one. The last is long. */
  readonly pieces: readonly string[];
  /** Number of pieces, with the parent's. */
  readonly pieceCount: number;
  /** Where in the last piece the ids end. */
  readonly cut: number;
  /** What the text stands behind, such as a BOS; part of the first runs. */
  readonly prefix: IdRun | undefined;
  readonly depth: number;
  /** Entries of the cache and links that need this one. */
  users = 0;

  constructor(parts: KnownPromptParts) {
    const { parent, runs, pieces } = parts;
    this.parent = parent;
    this.runs = runs;
    this.pieces = pieces;
    this.pieceCount = (parent?.pieceCount ?? 0) + pieces.length;
    this.cut = parts.cut;
    this.prefix = parts.prefix;
    this.depth = (parent?.depth ?? 0) + 1;
    let ids = parent?.length ?? 0;
    for (const run of runs) ids += run.ids.length;
    this.length = ids;
  }

  get lastPiece(): string {
    return this.pieces[this.pieces.length - 1] as string;
  }

  /** Bytes of this link alone, with the decimals of its runs. */
  get byteLength(): number {
    let bytes = entryBytes;
    for (const piece of this.pieces) bytes += 2 * piece.length + 8;
    for (const run of this.runs) bytes += run.byteLength;
    return bytes;
  }

  /** Whether `pieces` begin with all of this prompt's. */
  begins(pieces: readonly string[]): boolean {
    // The pieces nearest to the end are the likeliest to differ.
    let at = this.pieceCount;
    for (let link: KnownPrompt | undefined = this; link !== undefined; link = link.parent) {
      for (let index = link.pieces.length - 1; index >= 0; index--) {
        if (pieces[--at] !== link.pieces[index]) return false;
      }
    }
    return true;
  }
}

export interface KnownPromptParts {
  readonly parent: KnownPrompt | undefined;
  readonly runs: readonly IdRun[];
  readonly pieces: readonly string[];
  readonly cut: number;
  readonly prefix: IdRun | undefined;
}

/**
 * The prompts met lately, so that the next turn of a conversation costs its new text, and so does another prompt that begins
 * the same. Least recently used go first; what others begin with stays as long as they do.
 */
export class PromptCache {
  readonly #prompts = new Map<string, KnownPrompt>();
  readonly #minPieceUnits: number;
  readonly #maxBytes: number;
  #bytes = 0;

  /** @param minPieceUnits length of a long piece */
  constructor(minPieceUnits: number, maxBytes: number) {
    this.#minPieceUnits = minPieceUnits;
    this.#maxBytes = maxBytes;
  }

  /** What the prompts take, in bytes. */
  get byteLength(): number {
    return this.#bytes;
  }

  /** The longest known prompt that `pieces` begin with, if any. */
  find(pieces: readonly string[], prefix: IdRun | undefined): KnownPrompt | undefined {
    let lookUps = 0;
    for (let index = pieces.length - 1; index >= 0 && lookUps < maxLookUps; index--) {
      const piece = pieces[index] as string;
      if (piece.length < this.#minPieceUnits) continue;
      lookUps++;
      const known = this.#prompts.get(piece);
      if (known?.pieceCount !== index + 1 || known.prefix !== prefix || !known.begins(pieces)) continue;
      this.#prompts.delete(piece);
      this.#prompts.set(piece, known);
      return known;
    }
    return undefined;
  }

  /** Remembers a prompt. @returns it, or an equal one that has fewer links */
  add(parts: KnownPromptParts): KnownPrompt {
    const prompt = new KnownPrompt(parts.parent?.depth === maxDepth ? flattened(parts) : parts);
    const key = prompt.lastPiece;
    const replaced = this.#prompts.get(key);
    this.#prompts.delete(key);
    this.#prompts.set(key, prompt);
    this.#retain(prompt);
    if (replaced !== undefined) this.#release(replaced);
    for (const [oldest, dropped] of this.#prompts) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#prompts.delete(oldest);
      this.#release(dropped);
    }
    return prompt;
  }

  #retain(prompt: KnownPrompt): void {
    prompt.users++;
    if (prompt.users > 1) return;
    this.#bytes += prompt.byteLength;
    if (prompt.parent !== undefined) this.#retain(prompt.parent);
  }

  #release(prompt: KnownPrompt): void {
    prompt.users--;
    if (prompt.users > 0) return;
    this.#bytes -= prompt.byteLength;
    if (prompt.parent !== undefined) this.#release(prompt.parent);
  }
}

/** The same prompt in one link. */
function flattened({ parent, runs, pieces, cut, prefix }: KnownPromptParts): KnownPromptParts {
  const links: KnownPrompt[] = [];
  for (let link = parent; link !== undefined; link = link.parent) links.unshift(link);
  return {
    parent: undefined,
    runs: [...links.flatMap((link) => link.runs), ...runs],
    pieces: [...links.flatMap((link) => link.pieces), ...pieces],
    cut,
    prefix,
  };
}
