import type { Readable } from "node:stream";
import { BufferPool } from "./buffer-pool.ts";
import { HttpError } from "./error-answer.ts";

/** Bounds of what is read and held at one time. */
export interface HttpLimits {
  /** Longest body, in bytes; a longer one is answered 413. */
  readonly maxBodyBytes: number;
  /** Sum of the bodies held at one time, in bytes; a request that would pass it is answered 429. */
  readonly maxHeldBodyBytes: number;
  /** Memory of bodies that is kept to be used again, in bytes; 0 = none is. */
  readonly maxReusedBufferBytes: number;
  /** Requests under way at one time; one more is answered 429, unread. */
  readonly maxRequests: number;
  /** Connections at one time; one more is closed. */
  readonly maxConnections: number;
  /** Longest time for the headers of a request, ms. */
  readonly headersTimeoutMs: number;
  /** Longest time for a whole request, ms; then it is answered 408. */
  readonly requestTimeoutMs: number;
  /** How long an idle connection is kept, ms. */
  readonly keepAliveTimeoutMs: number;
}

const noBody = Buffer.alloc(0);

/** Admits requests and the bytes of their bodies, and counts what is under way. */
export class RequestLimits {
  readonly #limits: HttpLimits;
  readonly #pool: BufferPool;
  #requests = 0;
  #heldBytes = 0;

  constructor(limits: HttpLimits) {
    this.#limits = limits;
    this.#pool = new BufferPool(limits.maxReusedBufferBytes);
  }

  /** @throws HttpError 429 when as many are under way as may be */
  begin(): void {
    if (this.#requests >= this.#limits.maxRequests) throw busy(`${this.#requests} requests are under way`);
    this.#requests++;
  }

  end(): void {
    this.#requests--;
  }

  /**
   * Reads a whole body, which counts as held until it is released.
   * @param declaredBytes its `content-length`, when it has one
   */
  read(
    stream: Readable,
    declaredBytes: string | undefined,
    done: (error: Error | null, body?: HeldBody) => void,
  ): void {
    const refusal = this.#refusal(Number(declaredBytes ?? 0));
    if (refusal !== undefined) {
      stream.resume();
      done(refusal);
      return;
    }
    let buffer = this.#pool.take(Number(declaredBytes ?? firstBytes));
    let length = 0;
    let pieces = 0;
    const release = (isInUse = false): void => {
      this.#heldBytes -= length;
      if (!isInUse) this.#pool.give(buffer);
      buffer = noBody;
      length = 0;
    };
    const finish = (error: Error | null): void => {
      stream.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
      if (error === null) {
        done(null, { bytes: buffer.subarray(0, length), release });
        return;
      }
      release();
      // What still comes is read and dropped, so that the client gets to the answer.
      stream.resume();
      done(error);
    };
    const onData = (chunk: Buffer): void => {
      if (length + chunk.length > buffer.length) buffer = this.#grown(buffer, length, length + chunk.length);
      pieces++;
      chunk.copy(buffer, length);
      length += chunk.length;
      this.#heldBytes += chunk.length;
      const refusal = this.#refusal(length) ?? refusalOfPieces(pieces, length);
      if (refusal !== undefined) finish(refusal);
    };
    const onEnd = (): void => finish(null);
    // Who breaks off does not hear the answer; it is no fault of ours either way.
    const onClose = (): void => finish(new HttpError(400, "invalid_request", "the body ended early"));
    const onError = onClose;
    stream.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose);
  }

  #grown(buffer: Buffer, length: number, needed: number): Buffer {
    const larger = this.#pool.take(Math.max(needed, 2 * buffer.length));
    buffer.copy(larger, 0, 0, length);
    this.#pool.give(buffer);
    return larger;
  }

  #refusal(bodyBytes: number): HttpError | undefined {
    const { maxBodyBytes, maxHeldBodyBytes } = this.#limits;
    if (bodyBytes > maxBodyBytes) {
      const message = `the body is longer than ${maxBodyBytes} bytes`;
      return new HttpError(413, "body_too_large", message, { connection: "close" });
    }
    return this.#heldBytes > maxHeldBodyBytes ? busy("too many bytes of bodies are held") : undefined;
  }
}

/** A body whose memory is used again once it is released. */
export interface HeldBody {
  readonly bytes: Buffer;
  /** To be called once. @param isInUse somebody may still look at `bytes`: their memory is not used again. Default false */
  release(isInUse?: boolean): void;
}

/** Room that a body of unknown length begins with. */
const firstBytes = 4_096;

/** Pieces of a body that may be of any length. */
const freePieces = 4_096;
/** Least mean length of more pieces, bytes. */
const leastPieceBytes = 16;

/** Undefined = a body may come in such pieces. Each piece costs as much as a kilobyte: no client sends a long body byte by byte. */
export function refusalOfPieces(pieces: number, bytes: number): HttpError | undefined {
  if (pieces <= freePieces || bytes >= pieces * leastPieceBytes) return undefined;
  return new HttpError(400, "invalid_request", "the body comes in too small pieces", { connection: "close" });
}

function busy(why: string): HttpError {
  return new HttpError(429, "saturated", `${why}, no more are taken`, { "retry-after": "1" });
}
