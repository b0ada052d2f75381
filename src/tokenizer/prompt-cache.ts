import { IdRun } from "./id-run.ts";
import type { TokenChain } from "./token-chain.ts";

/** How many long pieces from the end are looked up: the new messages of a turn and one that the turn before ended with. */
const maxLookUps = 8;
/** Links that a prompt may be made of; what would come behind stands for itself. */
const maxDepth = 48;
/** Longest run that is joined with its neighbours, in ids. */
const shortRun = 128;
/** Bytes of an entry besides its text and runs, with what is kept of it elsewhere. */
const entryBytes = 1024;

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
  /** Bytes of this link alone, with the decimals of its runs. */
  readonly byteLength: number;
  /** Entries of the cache and links that need this one. */
  users = 0;

  constructor(parts: KnownPromptParts) {
    const { parent, pieces } = parts;
    const runs = joinShort(parts.runs);
    this.parent = parent;
    this.runs = runs;
    this.pieces = pieces;
    this.pieceCount = (parent?.pieceCount ?? 0) + pieces.length;
    this.cut = parts.cut;
    this.prefix = parts.prefix;
    this.depth = (parent?.depth ?? 0) + 1;
    let ids = parent?.length ?? 0;
    let bytes = entryBytes;
    for (const run of runs) {
      ids += run.ids.length;
      bytes += run.byteLength;
    }
    for (const piece of pieces) bytes += 2 * piece.length + 8;
    this.length = ids;
    this.byteLength = bytes;
  }

  get lastPiece(): string {
    return this.pieces[this.pieces.length - 1] as string;
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
 * the same. In two generations: what is used moves to the young one, the old one goes as a whole; what a kept prompt begins with stays
 * as long as it is needed.
 */
export class PromptCache {
  #young = new Map<string, KnownPrompt>();
  #old = new Map<string, KnownPrompt>();
  readonly #minPieceUnits: number;
  readonly #maxBytes: number;
  #bytes = 0;
  /** What has come into the young generation. */
  #youngBytes = 0;

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
      const young = this.#young.get(piece);
      const known = young ?? this.#old.get(piece);
      if (known?.pieceCount !== index + 1 || known.prefix !== prefix || !known.begins(pieces)) continue;
      if (young === undefined) this.#rejuvenate(piece, known);
      return known;
    }
    return undefined;
  }

  /** Remembers a prompt. @returns it, or an equal one that has fewer links */
  add(parts: KnownPromptParts): KnownPrompt {
    const prompt = new KnownPrompt(parts.parent?.depth === maxDepth ? flattened(parts) : parts);
    const key = prompt.lastPiece;
    this.#retain(prompt);
    this.#remove(this.#young, key);
    this.#remove(this.#old, key);
    this.#keep(key, prompt);
    return prompt;
  }

  #rejuvenate(key: string, prompt: KnownPrompt): void {
    this.#old.delete(key);
    this.#keep(key, prompt);
  }

  #keep(key: string, prompt: KnownPrompt): void {
    if (2 * (this.#youngBytes + prompt.byteLength) > this.#maxBytes) this.#turn();
    // Links outside of both generations, which theirs continue, count as well.
    for (let turns = 0; this.#bytes > this.#maxBytes && turns < 2; turns++) this.#turn();
    this.#youngBytes += prompt.byteLength;
    this.#young.set(key, prompt);
  }

  #turn(): void {
    for (const dropped of this.#old.values()) this.#release(dropped);
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngBytes = 0;
  }

  #remove(generation: Map<string, KnownPrompt>, key: string): void {
    const prompt = generation.get(key);
    if (prompt === undefined) return;
    generation.delete(key);
    this.#release(prompt);
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

/** The same ids with neighbouring short runs in one: each costs more than its ids. */
function joinShort(runs: readonly IdRun[]): readonly IdRun[] {
  const joined: IdRun[] = [];
  let first = 0;
  let length = 0;
  const flush = (end: number) => {
    if (end > first) joined.push(end === first + 1 ? (runs[first] as IdRun) : concatenated(runs, first, end, length));
    length = 0;
  };
  for (let index = 0; index < runs.length; index++) {
    const run = runs[index] as IdRun;
    if (run.ids.length <= shortRun) {
      length += run.ids.length;
      continue;
    }
    flush(index);
    joined.push(run);
    first = index + 1;
  }
  flush(runs.length);
  return joined;
}

function concatenated(runs: readonly IdRun[], first: number, end: number, length: number): IdRun {
  const ids = new Uint32Array(length);
  let at = 0;
  for (let index = first; index < end; index++) {
    const run = runs[index] as IdRun;
    ids.set(run.ids, at);
    at += run.ids.length;
  }
  return new IdRun(ids);
}
