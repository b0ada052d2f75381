import { IdRun } from "./id-run.ts";

/** How many long pieces from the end are looked up: the new messages of a turn and one that the turn before ended with. */
const maxLookUps = 8;
/** Bytes of an entry besides its text and ids. */
const entryBytes = 1536;
/** Bytes of an id, its decimals and room. */
const idBytes = 13;

/** A prompt's ids up to the last cut of its last long piece. */
export interface KnownPrompt {
  readonly pieces: readonly string[];
  /** The last long piece. */
  readonly index: number;
  /** Where in that piece the ids end. */
  readonly cut: number;
  readonly run: IdRun;
  /** Memory of the run's ids, with room for those of the turns to come. */
  readonly room: Uint32Array;
  /** What the text stands behind, such as a BOS; part of `run`. */
  readonly prefix: IdRun | undefined;
}

/** The prompts met lately, so that the next turn of a conversation costs one copy and its new text. Least recently used go first. */
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

  /** The longest known prompt that `pieces` begin with, if any; the next `add` replaces it. */
  find(pieces: readonly string[], prefix: IdRun | undefined): KnownPrompt | undefined {
    let lookUps = 0;
    for (let index = pieces.length - 1; index >= 0 && lookUps < maxLookUps; index--) {
      const piece = pieces[index] as string;
      if (piece.length < this.#minPieceUnits) continue;
      lookUps++;
      const known = this.#prompts.get(piece);
      if (known?.index === index && known.prefix === prefix && beginsWith(pieces, known)) return known;
    }
    return undefined;
  }

  /** Remembers a prompt in place of `previous`, which it continues. */
  add(prompt: KnownPrompt, previous: KnownPrompt | undefined): void {
    const key = prompt.pieces[prompt.index] as string;
    this.#drop(key);
    if (previous !== undefined) this.#drop(previous.pieces[previous.index] as string);
    this.#prompts.set(key, prompt);
    this.#bytes += bytesOf(prompt);
    for (const oldest of this.#prompts.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const known = this.#prompts.get(key);
    if (known === undefined) return;
    this.#prompts.delete(key);
    this.#bytes -= bytesOf(known);
  }
}

/**
 * A run of `ids[0, length)`, which begin with those of `known`. The prompt takes over `known`'s memory where that has room, so that a turn writes its
 * new ids only; `known`'s own run stays as it is.
 */
export function extend(
  known: KnownPrompt | undefined,
  ids: Uint32Array,
  length: number,
): Pick<KnownPrompt, "run" | "room"> {
  const fits = known !== undefined && known.room.length >= length;
  const room = fits ? known.room : new Uint32Array(Math.ceil(length * 1.25) + 256);
  const start = fits ? known.run.ids.length : 0;
  room.set(ids.subarray(start, length), start);
  return { run: new IdRun(room.subarray(0, length)), room };
}

function beginsWith(pieces: readonly string[], known: KnownPrompt): boolean {
  const { index: last } = known;
  // The pieces nearest to the end are the likeliest to differ.
  for (let index = last; index >= 0; index--) {
    if (pieces[index] !== known.pieces[index]) return false;
  }
  return true;
}

function bytesOf({ pieces, index, run }: KnownPrompt): number {
  let units = 0;
  for (let piece = 0; piece <= index; piece++) units += (pieces[piece] as string).length + 8;
  return entryBytes + 2 * units + idBytes * run.ids.length;
}
