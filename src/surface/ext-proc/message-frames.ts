import type { Buffer } from "node:buffer";
import type { BufferPool } from "../../http/index.ts";
import { GrpcStatus, StatusError } from "./grpc-status.ts";

const HEAD_BYTES = 5;
/** What is allocated for a message before more of it has arrived. */
const MAX_TRUSTED_BYTES = 65_536;

/** Takes the messages of a stream. */
export interface MessageReceiver {
  /** @param bytes valid until `spent` has been given back to the pool, which the receiver does; always, when that is undefined */
  receive(bytes: Buffer, spent: Buffer | undefined): void;
}

/**
 * Cuts a gRPC stream into its messages. A message that lies in one chunk is handed on where it is; one that spans several is put
 * together in a buffer of the pool. Memory follows what has arrived, not what is announced.
 */
export class MessageFrames {
  readonly #pool: BufferPool;
  readonly #maxMessageBytes: number;
  readonly #receiver: MessageReceiver;
  /** Head and message that are being put together. */
  #partial: Buffer | undefined;
  #partialBytes = 0;

  constructor(pool: BufferPool, maxMessageBytes: number, receiver: MessageReceiver) {
    this.#pool = pool;
    this.#maxMessageBytes = maxMessageBytes;
    this.#receiver = receiver;
  }

  /** @throws StatusError; whatever the receiver throws */
  add(chunk: Buffer): void {
    let at = this.#partial === undefined ? 0 : this.#complete(this.#partial, chunk);
    while (chunk.length - at >= HEAD_BYTES) {
      const end = at + this.#wantedBytes(chunk, at);
      if (end > chunk.length) break;
      this.#receiver.receive(chunk.subarray(at + HEAD_BYTES, end), undefined);
      at = end;
    }
    if (at < chunk.length) this.#begin(chunk, at);
  }

  /** Whether a message has begun and not ended. */
  get isInside(): boolean {
    return this.#partial !== undefined;
  }

  /** Gives memory back; nothing may be added afterwards. */
  close(): void {
    if (this.#partial !== undefined) this.#pool.give(this.#partial);
    this.#partial = undefined;
  }

  /** Adds the beginning of `chunk` to the message that is being put together. @returns where in `chunk` the next one begins */
  #complete(partial: Buffer, chunk: Buffer): number {
    let at = 0;
    if (this.#partialBytes < HEAD_BYTES) {
      at = chunk.copy(partial, this.#partialBytes, 0, HEAD_BYTES - this.#partialBytes);
      this.#partialBytes += at;
      if (this.#partialBytes < HEAD_BYTES) return at;
    }
    const wanted = this.#wantedBytes(partial, 0);
    const added = Math.min(wanted - this.#partialBytes, chunk.length - at);
    const whole = this.#withRoom(partial, wanted, this.#partialBytes + added);
    chunk.copy(whole, this.#partialBytes, at, at + added);
    this.#partialBytes += added;
    this.#partial = whole;
    if (this.#partialBytes < wanted) return chunk.length;
    this.#partial = undefined;
    this.#receiver.receive(whole.subarray(HEAD_BYTES, wanted), whole);
    return at + added;
  }

  #begin(chunk: Buffer, at: number): void {
    const bytes = chunk.length - at;
    const wanted = bytes < HEAD_BYTES ? HEAD_BYTES : this.#wantedBytes(chunk, at);
    this.#partial = this.#pool.take(Math.max(bytes, Math.min(wanted, MAX_TRUSTED_BYTES)));
    this.#partialBytes = chunk.copy(this.#partial, 0, at);
  }

  #withRoom(partial: Buffer, wanted: number, needed: number): Buffer {
    if (needed <= partial.length) return partial;
    const larger = this.#pool.take(Math.min(wanted, Math.max(needed, 2 * partial.length)));
    partial.copy(larger, 0, 0, this.#partialBytes);
    this.#pool.give(partial);
    return larger;
  }

  /** Length of the head at `at` and of its message. */
  #wantedBytes(bytes: Buffer, at: number): number {
    // The receiver has announced no encoding that it takes.
    if (bytes[at] !== 0) throw new StatusError("compressed messages are not read here", GrpcStatus.unimplemented);
    const length = bytes.readUInt32BE(at + 1);
    if (length > this.#maxMessageBytes) {
      const said = `a message of ${length} bytes exceeds ${this.#maxMessageBytes}`;
      throw new StatusError(said, GrpcStatus.resourceExhausted);
    }
    return HEAD_BYTES + length;
  }
}
