import type { Buffer } from "node:buffer";
import type { ByteSpan } from "./json-value.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
/** Bytes between two steps: a tenth of a millisecond. */
const stepBytes = 65_536;
/** A longer string is searched by the runtime, which is faster once it runs. */
const shortString = 32;

/**
 * Where a few members of the object that a text is stand, without reading the rest: for texts that are too large to be read here. Yields
 * between steps of a tenth of a millisecond. Of a repeated key the last counts. Nothing is checked: of a text that is not JSON, the spans may be
 * anything within it.
 */
export function* rootMembers(
  bytes: Buffer,
  names: ReadonlySet<string>,
): Generator<void, ReadonlyMap<string, ByteSpan>> {
  const search = new RootSearch(bytes, names);
  while (!search.step()) yield;
  return search.spans;
}

/** One member of the outermost object. */
export interface RootMember {
  readonly name: string;
  /** Of the key's opening quote. */
  readonly keyStart: number;
  /** Of the value, without the spaces around it. */
  readonly value: ByteSpan;
}

/** As `rootMembers`, but every occurrence of a repeated key, in order. */
export function* rootMemberList(bytes: Buffer, names: ReadonlySet<string>): Generator<void, readonly RootMember[]> {
  const search = new RootSearch(bytes, names);
  while (!search.step()) yield;
  return search.members.map(({ name, keyStart, value }) => ({ name, keyStart, value: trimmed(bytes, value) }));
}

function trimmed(bytes: Buffer, { start, end }: ByteSpan): ByteSpan {
  const first = Math.min(spaceEnd(bytes, start), end);
  return { start: first, end: Math.max(first, spaceStart(bytes, end)) };
}

/** Position of the first byte from `at` on that is no space. */
export function spaceEnd(bytes: Buffer, at: number): number {
  let end = at;
  while (end < bytes.length && isSpace(bytes[end])) end++;
  return end;
}

/** Position behind the last byte before `at` that is no space. */
export function spaceStart(bytes: Buffer, at: number): number {
  let start = at;
  while (start > 0 && isSpace(bytes[start - 1])) start--;
  return start;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

class RootSearch {
  readonly spans = new Map<string, ByteSpan>();
  readonly members: RootMember[] = [];
  readonly #bytes: Buffer;
  readonly #names: ReadonlySet<string>;
  #at = 0;
  #depth = 0;
  /** The last string of the root. */
  #string: ByteSpan = { start: 0, end: 0 };
  /** Of the member whose value is being read; undefined for one that nobody asked for. */
  #key: string | undefined;
  #valueStart = -1;
  #keyStart = -1;

  constructor(bytes: Buffer, names: ReadonlySet<string>) {
    this.#bytes = bytes;
    this.#names = names;
  }

  /** Reads on; true when the text has ended. */
  step(): boolean {
    const bytes = this.#bytes;
    const end = Math.min(this.#at + stepBytes, bytes.length);
    while (this.#at < end) this.#take(bytes[this.#at] as number);
    return this.#at >= bytes.length;
  }

  #take(byte: number): void {
    const isAtRoot = this.#depth === 1;
    if (byte === QUOTE) this.#takeString(isAtRoot);
    else if (byte === COMMA && isAtRoot) this.#endMember();
    else if (byte === COLON && isAtRoot && this.#valueStart < 0) this.#beginValue();
    else if (isOpening(byte)) this.#depth++;
    else if (isClosing(byte)) {
      if (isAtRoot) this.#endMember();
      this.#depth--;
    }
    this.#at++;
  }

  #takeString(isAtRoot: boolean): void {
    const start = this.#at + 1;
    this.#at = stringEnd(this.#bytes, start);
    if (isAtRoot) this.#string = { start, end: this.#at };
  }

  #beginValue(): void {
    this.#key = nameAt(this.#bytes, this.#string, this.#names);
    this.#keyStart = this.#string.start - 1;
    this.#valueStart = this.#at + 1;
  }

  #endMember(): void {
    if (this.#key !== undefined) {
      const value = { start: this.#valueStart, end: this.#at };
      this.spans.set(this.#key, value);
      this.members.push({ name: this.#key, keyStart: this.#keyStart, value });
    }
    this.#key = undefined;
    this.#valueStart = -1;
  }
}

/** Position of the closing quote, or the text's end. */
export function stringEnd(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH) at++;
    else if (at - start >= shortString) return longStringEnd(bytes, at);
  }
  return bytes.length;
}

function longStringEnd(bytes: Buffer, start: number): number {
  let at = bytes.indexOf(QUOTE, start);
  while (at >= 0 && isEscaped(bytes, at, start)) at = bytes.indexOf(QUOTE, at + 1);
  return at < 0 ? bytes.length : at;
}

/** Whether an odd number of backslashes stand before `at`, back to `start`, where no escape goes on. */
function isEscaped(bytes: Buffer, at: number, start: number): boolean {
  let first = at;
  while (first > start && bytes[first - 1] === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** The key, when it is wanted; one with an escape in it is read as well. */
function nameAt(bytes: Buffer, { start, end }: ByteSpan, names: ReadonlySet<string>): string | undefined {
  if (end - start > 1024) return undefined;
  const text = bytes.toString("utf8", start, end);
  const name = text.includes("\\") ? unescaped(text) : text;
  return name !== undefined && names.has(name) ? name : undefined;
}

function unescaped(text: string): string | undefined {
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return undefined;
  }
}

/** [ and { */
function isOpening(byte: number): boolean {
  return byte === 0x5b || byte === 0x7b;
}

/** ] and } */
function isClosing(byte: number): boolean {
  return byte === 0x5d || byte === 0x7d;
}
