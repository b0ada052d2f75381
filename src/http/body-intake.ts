import type { IncomingMessage } from "node:http";
import type { Clock } from "./clock.ts";
import { HttpError } from "./error-answer.ts";
import { refusalOfPieces } from "./request-limits.ts";

export interface BodyLimits {
  /** Longest body, in bytes. */
  readonly maxBodyBytes: number;
  /** Sum of the bodies held at one time, in bytes. */
  readonly maxHeldBodyBytes: number;
  /** Longest time for a body to come, ms. */
  readonly requestTimeoutMs: number;
}

/** A body that is held, and counts as held, until it is released. */
export class HeldBody {
  #bytes: Buffer;
  readonly #countedBytes: number;
  #account: Pick<HeldAccount, "give"> | undefined;

  constructor(bytes: Buffer, account?: Pick<HeldAccount, "give">) {
    this.#bytes = bytes;
    this.#countedBytes = bytes.length;
    this.#account = account;
  }

  /** Empty once it is released. */
  get bytes(): Buffer {
    return this.#bytes;
  }

  /** Holds the same with a small change in its place. Counts as before. */
  changeTo(bytes: Buffer): void {
    if (this.#account !== undefined || this.#bytes.length > 0) this.#bytes = bytes;
  }

  release(): void {
    this.#account?.give(this.#countedBytes);
    this.#account = undefined;
    this.#bytes = noBytes;
  }
}

const noBytes: Buffer = Buffer.alloc(0);
const noBody = new HeldBody(noBytes);

/** Reads bodies, and bounds what is held of them. */
export class BodyIntake {
  readonly #limits: BodyLimits;
  readonly #clock: Clock;
  #heldBytes = 0;

  constructor(limits: BodyLimits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  /**
   * Reads a whole body. The error is an HttpError of what the client did wrong: 413, 429, 408; or 400 when the body ended early.
   * @param done called once
   * @param willRead called before, when the body is waited for
   */
  read(
    request: IncomingMessage,
    done: (error: HttpError | undefined, body: HeldBody) => void,
    willRead?: () => void,
  ): void {
    const declared = request.headers["content-length"];
    if (declared === "0" || (declared === undefined && request.headers["transfer-encoding"] === undefined)) {
      done(undefined, noBody);
      return;
    }
    const refusal = this.#refusal(Number(declared ?? 0));
    if (refusal !== undefined) {
      request.resume();
      done(refusal, noBody);
      return;
    }
    willRead?.();
    const reading = new BodyReading(request, this.#account(), done);
    reading.cancelTimeout = this.#clock.after(this.#limits.requestTimeoutMs, () => reading.fail(tooSlow()));
  }

  #account(): HeldAccount {
    return {
      add: (bytes, total) => {
        this.#heldBytes += bytes;
        return this.#refusal(total, 0);
      },
      give: (bytes) => {
        this.#heldBytes -= bytes;
      },
    };
  }

  /** @param newBytes of them not counted as held yet */
  #refusal(bodyBytes: number, newBytes = bodyBytes): HttpError | undefined {
    const { maxBodyBytes, maxHeldBodyBytes } = this.#limits;
    if (bodyBytes > maxBodyBytes) {
      const message = `the body is longer than ${maxBodyBytes} bytes`;
      return new HttpError(413, "body_too_large", message);
    }
    if (this.#heldBytes + newBytes <= maxHeldBodyBytes) return undefined;
    return new HttpError(429, "saturated", "too many bytes of bodies are held, no more are taken");
  }
}

/** What is held of all bodies. */
interface HeldAccount {
  /** @returns why no more is taken; undefined = it is */
  add(bytes: number, total: number): HttpError | undefined;
  give(bytes: number): void;
}

/** Pieces that are looked at together. */
const piecesAtOnce = 512;
/** Pieces that are shorter on average are joined, in bytes: a short one takes many times its bytes of memory. */
const joinedBytes = 4_096;

/** The pieces of one body. */
class BodyChunks {
  #chunks: Buffer[] = [];
  /** Those of them at the end that came since the last look. */
  #recent = 0;
  #recentBytes = 0;
  #pieces = 0;

  /** @returns how many there were */
  push(chunk: Buffer): number {
    this.#chunks.push(chunk);
    this.#recentBytes += chunk.length;
    this.#recent += 1;
    if (this.#recent === piecesAtOnce) this.#look();
    return ++this.#pieces;
  }

  /** All of them as one; they are forgotten. */
  take(): Buffer {
    const [first] = this.#chunks;
    const bytes = first !== undefined && this.#chunks.length === 1 ? first : Buffer.concat(this.#chunks);
    this.clear();
    return bytes;
  }

  clear(): void {
    this.#chunks = [];
  }

  #look(): void {
    if (this.#recentBytes < piecesAtOnce * joinedBytes) {
      this.#chunks.push(Buffer.concat(this.#chunks.splice(-piecesAtOnce)));
    }
    this.#recent = 0;
    this.#recentBytes = 0;
  }
}

/** One body on its way. */
class BodyReading {
  cancelTimeout: () => void = () => undefined;
  readonly #request: IncomingMessage;
  readonly #account: HeldAccount;
  readonly #done: (error: HttpError | undefined, body: HeldBody) => void;
  readonly #chunks = new BodyChunks();
  #length = 0;
  #isOver = false;

  constructor(
    request: IncomingMessage,
    account: HeldAccount,
    done: (error: HttpError | undefined, body: HeldBody) => void,
  ) {
    this.#request = request;
    this.#account = account;
    this.#done = done;
    request.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onClose).on("error", this.#onClose);
  }

  /** Ends the reading; what still comes is dropped, so that the client gets to the answer. */
  fail(error: HttpError): void {
    if (this.#isOver) return;
    this.#finish();
    this.#chunks.clear();
    this.#account.give(this.#length);
    this.#request.resume();
    this.#done(error, noBody);
  }

  readonly #onData = (chunk: Buffer): void => {
    const pieces = this.#chunks.push(chunk);
    this.#length += chunk.length;
    const refusal = this.#account.add(chunk.length, this.#length) ?? refusalOfPieces(pieces, this.#length);
    if (refusal !== undefined) this.fail(refusal);
  };

  readonly #onEnd = (): void => {
    if (this.#isOver) return;
    this.#finish();
    this.#done(undefined, new HeldBody(this.#chunks.take(), this.#account));
  };

  readonly #onClose = (): void => this.fail(new HttpError(400, "invalid_request", "the body ended early"));

  #finish(): void {
    this.#isOver = true;
    this.cancelTimeout();
    this.#request.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onClose);
  }
}

function tooSlow(): HttpError {
  return new HttpError(408, "request_timeout", "the request came too slowly", { connection: "close" });
}

/** Most of a body that is read only to be dropped, in bytes. */
const maxDroppedBytes = 67_108_864;

/**
 * Reads on and drops what still comes of a body: many clients look for an answer only once they have sent everything, and see an error of
 * the connection when it is closed before.
 */
export function dropRest(request: IncomingMessage): void {
  let dropped = 0;
  request.on("data", (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > maxDroppedBytes) request.destroy();
  });
}
