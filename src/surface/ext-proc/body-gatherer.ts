/** Bodies announced up to this length are copied into one buffer as they come; longer ones are joined at the end. */
const MAX_PREALLOCATED_BYTES = 1 << 20;

/** Chunks below this length are copied together: each one costs far more than its bytes. */
const MIN_CHUNK_BYTES = 4_096;
/** Length of the buffers that they are copied into. */
const JOINED_BYTES = 65_536;

/**
 * Collects a body. What is allocated follows what has arrived, or 1 MiB at most, never what the client only announces.
 * A body that came in one chunk is not copied.
 */
export class BodyGatherer {
  readonly #announcedBytes: number | undefined;
  #buffer: Buffer | undefined;
  #chunks: Buffer[] = [];
  #length = 0;
  /** Where small chunks are copied to; its filled part is the last of `#chunks`. */
  #joined: Buffer | undefined;
  #joinedBytes = 0;

  /** @param announcedBytes the request's content-length; undefined without one */
  constructor(announcedBytes: number | undefined) {
    this.#announcedBytes = announcedBytes;
  }

  /** Bytes collected so far. */
  get length(): number {
    return this.#length;
  }

  /** Buffers held: what a body costs besides its bytes. */
  get bufferCount(): number {
    return this.#chunks.length;
  }

  add(chunk: Buffer): void {
    if (chunk.length === 0) return;
    if (this.#length > 0) this.#preallocate(chunk.length);
    if (this.#buffer !== undefined && this.#length + chunk.length <= this.#buffer.length) {
      chunk.copy(this.#buffer, this.#length);
    } else {
      this.#leaveBuffer();
      if (chunk.length < MIN_CHUNK_BYTES && this.#chunks.length > 0) this.#join(chunk);
      else this.#push(chunk);
    }
    this.#length += chunk.length;
  }

  /** The whole body; the gatherer is empty afterwards. */
  take(): Buffer {
    this.#leaveBuffer();
    const [first = Buffer.alloc(0)] = this.#chunks;
    const body = this.#chunks.length <= 1 ? first : Buffer.concat(this.#chunks, this.#length);
    this.#chunks = [];
    this.#joined = undefined;
    this.#length = 0;
    return body;
  }

  #push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#joined = undefined;
  }

  #join(chunk: Buffer): void {
    if (this.#joined === undefined || this.#joinedBytes + chunk.length > JOINED_BYTES) {
      this.#joined = Buffer.allocUnsafeSlow(JOINED_BYTES);
      this.#joinedBytes = 0;
      this.#chunks.push(this.#joined);
    }
    chunk.copy(this.#joined, this.#joinedBytes);
    this.#joinedBytes += chunk.length;
    this.#chunks[this.#chunks.length - 1] = this.#joined.subarray(0, this.#joinedBytes);
  }

  /** On the second chunk: a body that fits gets its one buffer. */
  #preallocate(nextBytes: number): void {
    const size = this.#announcedBytes;
    const [first] = this.#chunks;
    if (first === undefined || this.#chunks.length > 1 || size === undefined) return;
    if (size > MAX_PREALLOCATED_BYTES || this.#length + nextBytes > size) return;
    this.#buffer = Buffer.allocUnsafe(size);
    first.copy(this.#buffer);
    this.#chunks = [];
  }

  /** A client that sends more than it announced: go on with a list of chunks. */
  #leaveBuffer(): void {
    if (this.#buffer === undefined) return;
    this.#push(this.#buffer.subarray(0, this.#length));
    this.#buffer = undefined;
  }
}
