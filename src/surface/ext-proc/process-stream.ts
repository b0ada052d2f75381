import type { Buffer } from "node:buffer";
import type { OutgoingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { GrpcStatus, type GrpcStatusCode, StatusError } from "./grpc-status.ts";
import { MessageFrames, type MessageReceiver } from "./message-frames.ts";
import type { OpenStreams } from "./open-streams.ts";
import type { ProcessingResponse } from "./processing-messages.ts";
import { WireFormatError } from "./protobuf-reader.ts";
import { decodeRequest } from "./request-decoder.ts";
import type { ResponseEncoder } from "./response-encoder.ts";
import { type GatewaySink, type SessionContext, StreamSession } from "./stream-session.ts";

const responseHeaders: OutgoingHttpHeaders = {
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-accept-encoding": "identity",
};

/** What the streams of one server share. */
export interface ProcessContext {
  readonly session: SessionContext;
  readonly streams: OpenStreams;
  readonly encoder: ResponseEncoder;
}

/**
 * One call of `Process`: the gRPC protocol between an HTTP/2 stream and its session. All answers of one turn leave in one write.
 * Source: github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md.
 */
export class ProcessStream implements GatewaySink, MessageReceiver {
  readonly #stream: ServerHttp2Stream;
  readonly #context: ProcessContext;
  /** Undefined once the stream is closed: Node keeps stream objects until the next full collection, with all that they refer to. */
  #session: StreamSession | undefined;
  readonly #frames: MessageFrames;
  #queue: ProcessingResponse[] = [];
  #written: (() => void)[] = [];
  /** Memory that queued answers may still point to. */
  #spent: Buffer[] = [];
  #isFlushPlanned = false;
  #isEnded = false;
  #status: GrpcStatusCode = GrpcStatus.ok;
  #statusMessage = "";

  constructor(stream: ServerHttp2Stream, context: ProcessContext) {
    this.#stream = stream;
    this.#context = context;
    const session = new StreamSession(this, context.session);
    this.#session = session;
    this.#frames = new MessageFrames(context.session.pool, context.session.options.maxMessageBytes, this);
    context.streams.add(session);
    stream.on("error", (error: NodeJS.ErrnoException) => this.#broken(error));
    stream.on("data", (chunk: Buffer) => this.#read(chunk));
    stream.on("end", () => this.#halfClosed());
    stream.on("close", () => this.#closed());
    stream.on("wantTrailers", () => stream.sendTrailers(this.#trailers()));
  }

  write(message: ProcessingResponse, written?: () => void): void {
    if (this.#isEnded || this.#stream.destroyed) return;
    this.#queue.push(message);
    if (written !== undefined) this.#written.push(written);
    this.#planFlush();
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#planFlush();
  }

  /** For the frames: a message of the gateway. */
  receive(bytes: Buffer, spent: Buffer | undefined): void {
    if (!this.#isEnded) this.#session?.receive(decodeRequest(bytes));
    if (spent === undefined) return;
    if (this.#queue.length > 0) this.#spent.push(spent);
    else this.#context.session.pool.give(spent);
  }

  #read(chunk: Buffer): void {
    if (this.#isEnded) return;
    try {
      this.#frames.add(chunk);
    } catch (cause) {
      this.#fail(cause);
    }
  }

  /** The stream is no gRPC, or not ours: the gateway is told by the status, unless its answer is on the way. */
  #fail(cause: unknown): void {
    if (this.#isEnded) return;
    const { logger } = this.#context.session;
    if (cause instanceof StatusError) this.#status = cause.status;
    else this.#status = GrpcStatus.internal;
    this.#statusMessage = cause instanceof StatusError || cause instanceof WireFormatError ? cause.message : "";
    logger.debug({ err: cause }, "ext_proc: stream refused");
    this.#left();
    this.end();
  }

  /**
   * Envoy resets the streams of requests that went well too, and names INTERNAL_ERROR (observed): only one that has no answer yet has
   * broken. The stack would show Node's own code.
   */
  #broken({ code, message }: NodeJS.ErrnoException): void {
    const phase = this.#session?.phase;
    if (this.#isEnded || (phase !== "request" && phase !== "pick")) return;
    this.#context.session.logger.debug({ phase, code, reason: message }, "ext_proc: stream broken before its answer");
  }

  #halfClosed(): void {
    if (this.#frames.isInside) this.#fail(new StatusError("a message does not end", GrpcStatus.internal));
    this.#left();
    this.end();
  }

  /** Comes after every stream, normal ones too. */
  #closed(): void {
    this.#left();
    this.#session = undefined;
    this.#queue = [];
  }

  /** The session knows whether its work was done. */
  #left(): void {
    if (this.#session === undefined) return;
    this.#session.peerLeft();
    this.#context.streams.delete(this.#session);
    this.#frames.close();
  }

  #planFlush(): void {
    if (this.#isFlushPlanned) return;
    this.#isFlushPlanned = true;
    queueMicrotask(() => this.#flush());
  }

  #flush(): void {
    this.#isFlushPlanned = false;
    if (!this.#stream.destroyed && !this.#stream.closed) {
      if (this.#queue.length > 0) this.#send();
      if (this.#isEnded) this.#finish();
    }
    for (const buffer of this.#spent) this.#context.session.pool.give(buffer);
    this.#spent.length = 0;
    this.#queue.length = 0;
  }

  #send(): void {
    const stream = this.#stream;
    const { encoder, session } = this.#context;
    if (!stream.headersSent) stream.respond(responseHeaders, { waitForTrailers: true });
    const { frames, bytes } = encoder.encode(this.#queue);
    const written = this.#written;
    if (written.length > 0) this.#written = [];
    stream.write(frames.length === bytes ? frames : frames.subarray(0, bytes), (error) => {
      if (error != null) return;
      session.pool.give(frames);
      for (const callback of written) callback();
    });
    if (stream.writableLength > session.options.maxUnsentBytes) this.#waitForRoom();
  }

  #finish(): void {
    const stream = this.#stream;
    if (stream.headersSent) stream.end();
    else stream.respond({ ...responseHeaders, ...this.#trailers() }, { endStream: true });
  }

  #trailers(): OutgoingHttpHeaders {
    if (this.#status === GrpcStatus.ok) return { "grpc-status": "0" };
    return { "grpc-status": String(this.#status), "grpc-message": encodeURIComponent(this.#statusMessage) };
  }

  #waitForRoom(): void {
    if (this.#stream.isPaused()) return;
    this.#stream.pause();
    this.#stream.once("drain", () => this.#stream.resume());
  }
}
