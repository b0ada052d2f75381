import { Buffer } from "node:buffer";

/** Shorter buffers come from Node's own pool, which is as fast. */
const MIN_POOLED_BYTES = 4_096;
/** Longer buffers are not kept: each has memory of its own. */
export const MAX_POOLED_BYTES = 4_194_304;

/**
 * Buffers that are used again. A new long one costs page faults and brings the next full garbage collection nearer: at 64 KB and more
 * that was a third of a pick (bench/ext-proc).
 */
export class BufferPool {
  /** Free buffers by the logarithm of their length. */
  readonly #free: Buffer[][] = Array.from({ length: 32 }, () => []);
  readonly #maxFreeBytes: number;
  #freeBytes = 0;

  /** @param maxFreeBytes most that the buffers waiting for use may take together */
  constructor(maxFreeBytes: number) {
    this.#maxFreeBytes = maxFreeBytes;
  }

  /** What waits for use, in bytes. */
  get freeBytes(): number {
    return this.#freeBytes;
  }

  /** A buffer of at least so many bytes, with any content. */
  take(bytes: number): Buffer {
    if (bytes < MIN_POOLED_BYTES) return Buffer.allocUnsafe(bytes);
    if (bytes > MAX_POOLED_BYTES) return Buffer.allocUnsafeSlow(bytes);
    const size = 32 - Math.clz32(bytes - 1);
    const free = this.#free[size]?.pop();
    if (free === undefined) return Buffer.allocUnsafeSlow(2 ** size);
    this.#freeBytes -= free.length;
    return free;
  }

  /** Takes back a whole buffer of `take`, which nobody may use any more. */
  give(buffer: Buffer): void {
    const { length } = buffer;
    if (length < MIN_POOLED_BYTES || length > MAX_POOLED_BYTES) return;
    if (this.#freeBytes + length > this.#maxFreeBytes) return;
    this.#free[31 - Math.clz32(length)]?.push(buffer);
    this.#freeBytes += length;
  }
}
