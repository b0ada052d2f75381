import type { ServerDuplexStream } from "@grpc/grpc-js";
import type { OpenStreams } from "./open-streams.ts";
import type { ProcessingRequest, ProcessingResponse } from "./processing-messages.ts";
import { type GatewaySink, type SessionContext, StreamSession } from "./stream-session.ts";

export type ProcessCall = ServerDuplexStream<ProcessingRequest, ProcessingResponse>;

/** Joins a gRPC call to a session until the call ends. */
export function serveProcessCall(call: ProcessCall, context: SessionContext, streams: OpenStreams): void {
  const sink = new CallSink(call);
  const session = new StreamSession(sink, context);
  streams.add(session);
  const left = () => {
    session.peerLeft();
    streams.delete(session);
  };
  call.on("data", (message: ProcessingRequest) => session.receive(message));
  call.on("end", () => {
    left();
    sink.end();
  });
  // Emitted after every stream, normal ones too; the session knows whether its work was done.
  call.on("cancelled", left);
  call.on("error", (err) => {
    context.logger.debug({ err }, "ext_proc: stream broken");
    left();
  });
}

/**
 * Writes of one turn go out together. Without it each message waits until the one before is on the socket: grpc-js passes
 * them on one by one.
 */
class CallSink implements GatewaySink {
  readonly #call: ProcessCall;
  #isEnded = false;
  #isCorked = false;

  constructor(call: ProcessCall) {
    this.#call = call;
    call._writev = (chunks, done) => writeTogether(call, chunks, done);
  }

  write(message: ProcessingResponse, written?: () => void): void {
    if (this.#isEnded || this.#call.destroyed) return;
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#call.cork();
      queueMicrotask(() => this.#uncork());
    }
    const hasRoom = written === undefined ? this.#call.write(message) : this.#call.write(message, written);
    if (!hasRoom) this.#waitForRoom();
  }

  end(): void {
    if (this.#isEnded || this.#call.destroyed) return;
    this.#isEnded = true;
    this.#call.end();
  }

  #uncork(): void {
    this.#isCorked = false;
    this.#call.uncork();
  }

  /** A gateway that reads slowly must not make us hold what it sends meanwhile. */
  #waitForRoom(): void {
    if (this.#call.isPaused()) return;
    this.#call.pause();
    this.#call.once("drain", () => this.#call.resume());
  }
}

type WriteChunk = { chunk: ProcessingResponse; encoding: BufferEncoding };
type WriteDone = (error?: Error | null) => void;

/** Hands all messages to grpc-js at once; done when the last has left, since they leave in order. */
function writeTogether(call: ProcessCall, chunks: readonly WriteChunk[], done: WriteDone): void {
  const last = chunks.length - 1;
  for (const [index, { chunk, encoding }] of chunks.entries()) {
    call._write(chunk, encoding, index === last ? done : ignore);
  }
}

function ignore(): void {}
