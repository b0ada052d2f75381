const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const key = Buffer.from('"model"');
const noBytes = Buffer.alloc(0);

/** Most spaces around a colon, in bytes: what has more is no member that an engine writes. */
const maxSpaces = 32;

/**
 * Gives the answer of a worker the name back under which the client asked for the model: every member `model` with the name that the worker was asked
 * by, in JSON or in a stream of events. No other byte is touched. Of what is in strings nothing can be taken for a member, since its quotes are
 * escaped. A member that is cut in two by chunks waits for its rest.
 */
export class ModelRestorer {
  readonly #target: string;
  readonly #requested: Buffer;
  readonly #maxHeldBytes: number;
  #held = noBytes;
  /** The byte before the held ones. */
  #before = 0;

  /**
   * @param target the name that the worker was asked by
   * @param requested the client's
   */
  constructor(target: string, requested: string) {
    this.#target = target;
    this.#requested = Buffer.from(JSON.stringify(requested));
    // Of one character six bytes may be written, as an escape.
    this.#maxHeldBytes = key.length + 2 * maxSpaces + 3 + 6 * target.length;
  }

  /** What can be passed on, given this chunk; may be empty. */
  take(chunk: Buffer): Buffer {
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = noBytes;
    const parts: Buffer[] = [];
    let passed = 0;
    for (let at = bytes.indexOf(key); at >= 0; at = bytes.indexOf(key, at + key.length)) {
      const value = this.#valueBehind(bytes, at);
      if (value === "cut") return this.#hold(bytes, parts, passed, at);
      if (value === undefined) continue;
      parts.push(bytes.subarray(passed, value.start), this.#requested);
      passed = value.end;
    }
    return this.#hold(bytes, parts, passed, Math.max(passed, bytes.length - keyStartAt(bytes)));
  }

  /** What is held, once the answer has ended. */
  rest(): Buffer {
    const rest = this.#held;
    this.#held = noBytes;
    return rest;
  }

  /** Passes on what stands before `end`, and holds what follows. */
  #hold(bytes: Buffer, parts: Buffer[], passed: number, end: number): Buffer {
    if (end > 0) this.#before = bytes[end - 1] ?? 0;
    // Copied: the chunk may be a buffer that is used again.
    if (end < bytes.length) this.#held = Buffer.from(bytes.subarray(end));
    if (parts.length === 0) return bytes.subarray(passed, end);
    parts.push(bytes.subarray(passed, end));
    return Buffer.concat(parts);
  }

  /** Where the value of the member at `at` stands, when it is the target's name; `cut` when that is not to be seen yet. */
  #valueBehind(bytes: Buffer, at: number): { readonly start: number; readonly end: number } | "cut" | undefined {
    if ((at === 0 ? this.#before : bytes[at - 1]) === BACKSLASH) return undefined;
    const isLong = bytes.length - at > this.#maxHeldBytes;
    const colon = skipSpaces(bytes, at + key.length);
    if (colon === bytes.length) return isLong ? undefined : "cut";
    if (bytes[colon] !== COLON) return undefined;
    const start = skipSpaces(bytes, colon + 1);
    if (start === bytes.length) return isLong ? undefined : "cut";
    if (bytes[start] !== QUOTE) return undefined;
    const end = stringEndIn(bytes, start + 1, this.#maxHeldBytes);
    if (end === bytes.length) return isLong ? undefined : "cut";
    return textIn(bytes, start, end + 1) === this.#target ? { start, end: end + 1 } : undefined;
  }
}

function skipSpaces(bytes: Buffer, from: number): number {
  let at = from;
  const end = Math.min(bytes.length, from + maxSpaces);
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++;
  return at;
}

/** Position of the closing quote, or the end of the bytes. */
function stringEndIn(bytes: Buffer, from: number, maxBytes: number): number {
  for (let at = from; at < bytes.length && at - from <= maxBytes; at++) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] === BACKSLASH) at++;
  }
  return bytes.length;
}

function textIn(bytes: Buffer, start: number, end: number): unknown {
  try {
    return JSON.parse(bytes.toString("utf8", start, end));
  } catch {
    return undefined;
  }
}

/** How many bytes at the end could be the beginning of the key. */
function keyStartAt(bytes: Buffer): number {
  for (let length = Math.min(key.length - 1, bytes.length); length > 0; length--) {
    if (bytes.subarray(bytes.length - length).equals(key.subarray(0, length))) return length;
  }
  return 0;
}
