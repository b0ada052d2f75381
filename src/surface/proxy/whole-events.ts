const LF = 0x0a;
const CR = 0x0d;
const noBytes: Buffer = Buffer.alloc(0);

/**
 * Cuts a stream of Server-Sent Events so that what is passed on ends where an event does: when the stream breaks, what the client
 * has got is whole events, and one of ours can follow. The bytes and their order stay.
 */
export class WholeEvents {
  readonly #maxHeldBytes: number;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #endsWithin = false;
  /** The last bytes that came, for an end that is cut in two. */
  #before = noBytes;

  /** @param maxHeldBytes an event of which more has come is passed on in pieces */
  constructor(maxHeldBytes: number) {
    this.#maxHeldBytes = maxHeldBytes;
  }

  /** Whether the client has got a part of an event. */
  get endsWithin(): boolean {
    return this.#endsWithin;
  }

  /** Whether something waits for the rest of its event. */
  get isHolding(): boolean {
    return this.#heldBytes > 0;
  }

  /** What can be passed on, given this chunk; undefined = nothing yet. */
  take(chunk: Buffer): Buffer | undefined {
    const end = this.#lastEventEnd(chunk);
    this.#before = chunk.length >= 3 ? chunk.subarray(-3) : Buffer.concat([this.#before, chunk]).subarray(-3);
    if (end === chunk.length && this.#held.length === 0) {
      this.#endsWithin = false;
      return chunk;
    }
    if (end > 0) return this.#upTo(chunk, end);
    this.#hold(chunk);
    return this.#heldBytes > this.#maxHeldBytes ? this.giveUp() : undefined;
  }

  /** What is held, once the stream has ended as it should; undefined = nothing. */
  rest(): Buffer | undefined {
    return this.#heldBytes === 0 ? undefined : this.#joined();
  }

  /** What is held, although its event has not ended: the rest takes too long. */
  giveUp(): Buffer {
    this.#endsWithin = true;
    return this.#joined();
  }

  #upTo(chunk: Buffer, end: number): Buffer {
    this.#held.push(chunk.subarray(0, end));
    const passed = this.#joined();
    this.#endsWithin = false;
    // Copied: what is held may be little of a large chunk.
    if (end < chunk.length) this.#hold(Buffer.from(chunk.subarray(end)));
    return passed;
  }

  #hold(bytes: Buffer): void {
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
  }

  #joined(): Buffer {
    const joined = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held);
    this.#held = [];
    this.#heldBytes = 0;
    return joined;
  }

  /** Position in the chunk right behind the last empty line that ends in it; 0 = none does. */
  #lastEventEnd(chunk: Buffer): number {
    let at = chunk.lastIndexOf(LF);
    while (at >= 0) {
      if (this.#isEmptyLine(chunk, at)) return at + 1;
      at = at === 0 ? -1 : chunk.lastIndexOf(LF, at - 1);
    }
    return 0;
  }

  /** Whether the line that ends with the line feed at `at` is empty. */
  #isEmptyLine(chunk: Buffer, at: number): boolean {
    const last = this.#byteAt(chunk, at - 1);
    return last === LF || (last === CR && this.#byteAt(chunk, at - 2) === LF);
  }

  #byteAt(chunk: Buffer, at: number): number | undefined {
    return at >= 0 ? chunk[at] : this.#before[this.#before.length + at];
  }
}
