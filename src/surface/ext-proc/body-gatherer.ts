import type { Buffer } from "node:buffer";
import { type BufferPool, MAX_POOLED_BYTES } from "../../http/index.ts";
import { noBody } from "./request-answers.ts";

/** A body announced up to this length gets its memory at once; a longer one as it comes. */
const MAX_PREALLOCATED_BYTES = 1 << 20;

/**
 * Collects a body in one buffer of the pool. What is allocated follows what has arrived (twice as much at most), or 1 MiB, never what
 * the client only announces.
 */
export class BodyGatherer {
  readonly #pool: BufferPool;
  readonly #announcedBytes: number;
  #buffer: Buffer | undefined;
  #length = 0;

  /** @param announcedBytes the request's content-length; undefined without one */
  constructor(pool: BufferPool, announcedBytes: number | undefined) {
    this.#pool = pool;
    this.#announcedBytes = announcedBytes ?? 0;
  }

  /** Bytes collected so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds a chunk, which may be reused afterwards, unless it is longer than what a pool keeps: such a one has memory of its own. */
  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (this.#buffer === undefined && chunk.length > MAX_POOLED_BYTES) {
      this.#buffer = chunk;
    } else {
      const buffer = this.#withRoom(this.#length + chunk.length);
      buffer.set(chunk, this.#length);
      this.#buffer = buffer;
    }
    this.#length += chunk.length;
  }

  /** The body, valid until `release`. */
  get body(): Buffer {
    return this.#buffer?.subarray(0, this.#length) ?? noBody;
  }

  /** Gives the memory back, which nobody may look at any more. Without it the body stays as long as it is referred to. */
  release(): void {
    if (this.#buffer !== undefined) this.#pool.give(this.#buffer);
    this.#buffer = undefined;
    this.#length = 0;
  }

  #withRoom(bytes: number): Buffer {
    const held = this.#buffer;
    if (held !== undefined && held.length >= bytes) return held;
    if (held === undefined)
      return this.#pool.take(Math.max(bytes, Math.min(this.#announcedBytes, MAX_PREALLOCATED_BYTES)));
    const room = this.#pool.take(Math.max(bytes, 2 * held.length));
    room.set(held.subarray(0, this.#length));
    this.#pool.give(held);
    return room;
  }
}
