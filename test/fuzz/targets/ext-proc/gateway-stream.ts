import { type ClientHttp2Session, type ClientHttp2Stream, constants } from "node:http2";
import type { ProcessingRequest, ProcessingResponse } from "../../../../src/surface/ext-proc/processing-messages.ts";
import { EXT_PROC_SERVICE_NAME, loadServiceDefinitions } from "../../../../src/surface/ext-proc/service-definitions.ts";
import { maxMessageBytes } from "./stream-case.ts";

const processMethod = loadServiceDefinitions().externalProcessor["Process"];
const headBytes = 5;

/** A frame of gRPC. */
function framed(message: Buffer, flags = 0, length = message.length): Buffer {
  const head = Buffer.alloc(headBytes);
  head[0] = flags;
  head.writeUInt32BE(length, 1);
  return Buffer.concat([head, message]);
}

/** One stream from the gateway's side, in bare HTTP/2: also what no gRPC library sends. */
export class GatewayStream {
  readonly answers: ProcessingResponse[] = [];
  /** gRPC status; undefined until it has come. */
  status: number | undefined;
  isClosed = false;
  receivedBytes = 0;
  readonly closed: Promise<void>;
  readonly #stream: ClientHttp2Stream;
  #received = Buffer.alloc(0);

  constructor(session: ClientHttp2Session) {
    this.#stream = session.request({
      ":method": "POST",
      ":path": `/${EXT_PROC_SERVICE_NAME}/Process`,
      "content-type": "application/grpc",
      te: "trailers",
    });
    const stream = this.#stream;
    stream.on("error", () => undefined);
    for (const event of ["response", "trailers"]) {
      stream.on(event, (headers: Record<string, string>) => {
        const status = headers["grpc-status"];
        if (status !== undefined) this.status = Number(status);
      });
    }
    stream.on("data", (chunk: Buffer) => this.#read(chunk));
    this.closed = new Promise((resolve) => {
      stream.once("close", () => {
        this.isClosed = true;
        resolve();
      });
    });
  }

  send(message: ProcessingRequest): void {
    if (processMethod === undefined) throw new Error("no Process method");
    this.#write(framed(processMethod.requestSerialize(message)));
  }

  sendBytes(message: Buffer): void {
    this.#write(framed(message));
  }

  sendCompressed(): void {
    this.#write(framed(Buffer.from("x"), 1));
  }

  sendTooLong(): void {
    this.#write(framed(Buffer.alloc(0), 0, maxMessageBytes + 1));
  }

  sendHalf(): void {
    this.#write(framed(Buffer.alloc(3), 0, 100));
  }

  halfClose(): void {
    this.#stream.end();
  }

  cancel(): void {
    this.#stream.close(constants.NGHTTP2_CANCEL);
  }

  /** As Envoy ends streams of requests that went well. */
  reset(): void {
    this.#stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }

  #write(bytes: Buffer): void {
    if (!this.#stream.destroyed && !this.#stream.writableEnded) this.#stream.write(bytes);
  }

  #read(chunk: Buffer): void {
    this.receivedBytes += chunk.length;
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      if (this.#received.length < headBytes) return;
      const end = headBytes + this.#received.readUInt32BE(1);
      if (this.#received.length < end) return;
      const message = this.#received.subarray(headBytes, end);
      this.answers.push(processMethod?.responseDeserialize(message) as ProcessingResponse);
      this.#received = this.#received.subarray(end);
    }
  }
}
