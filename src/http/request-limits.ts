import type { Readable } from "node:stream";
import { HttpError } from "./error-answer.ts";

/** Bounds of what is read and held at one time. */
export interface HttpLimits {
  /** Longest body, in bytes; a longer one is answered 413. */
  readonly maxBodyBytes: number;
  /** Sum of the bodies held at one time, in bytes; a request that would pass it is answered 429. */
  readonly maxHeldBodyBytes: number;
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

/** Admits requests and the bytes of their bodies, and counts what is under way. */
export class RequestLimits {
  readonly #limits: HttpLimits;
  #requests = 0;
  #heldBytes = 0;

  constructor(limits: HttpLimits) {
    this.#limits = limits;
  }

  get requests(): number {
    return this.#requests;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** @throws HttpError 429 when as many are under way as may be */
  begin(): void {
    if (this.#requests >= this.#limits.maxRequests) throw busy(`${this.#requests} requests are under way`);
    this.#requests++;
  }

  end(): void {
    this.#requests--;
  }

  /** Gives back what `read` holds. */
  release(body: Buffer): void {
    this.#heldBytes -= body.length;
  }

  /**
   * Reads a whole body, which counts as held until it is given to `release`.
   * @param declaredBytes its `content-length`, when it has one
   */
  read(stream: Readable, declaredBytes: string | undefined, done: (error: Error | null, body?: Buffer) => void): void {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (error: Error | null): void => {
      stream.off("data", onData).off("end", onEnd).off("error", onError).off("close", onClose);
      if (error === null) {
        done(null, onlyOrJoined(chunks, length));
        return;
      }
      this.#heldBytes -= length;
      // What still comes is read and dropped, so that the client gets to the answer.
      stream.resume();
      done(error);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      this.#heldBytes += chunk.length;
      chunks.push(chunk);
      const refusal = this.#refusal(length);
      if (refusal !== undefined) finish(refusal);
    };
    const onEnd = (): void => finish(null);
    const onError = (error: Error): void => finish(error);
    const onClose = (): void => finish(new HttpError(400, "invalid_request", "the body ended early"));
    const refusal = this.#refusal(Number(declaredBytes ?? 0));
    if (refusal === undefined) stream.on("data", onData).on("end", onEnd).on("error", onError).on("close", onClose);
    else finish(refusal);
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

function busy(why: string): HttpError {
  return new HttpError(429, "saturated", `${why}, no more are taken`, { "retry-after": "1" });
}

function onlyOrJoined(chunks: readonly Buffer[], length: number): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, length);
}
