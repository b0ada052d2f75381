import { connect, type Socket } from "node:net";

/** What one request took, ms. */
export interface Timing {
  /** To the first byte of the answer's body. */
  readonly firstByteMs: number;
  readonly totalMs: number;
}

/** One keep-alive connection that times answers, whole or chunked, with as little of a client in it as possible. */
export class StreamClient {
  readonly #socket: Socket;
  #text = "";
  #startMs = 0;
  #firstByteMs = 0;
  #waiting: { resolve(timing: Timing): void; reject(error: Error): void; isHeld: boolean } | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#waiting?.reject(error));
    socket.on("close", () => this.#waiting?.reject(new Error("the server closed the connection")));
  }

  static connect(port: number): Promise<StreamClient> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => {
        socket.off("error", reject);
        resolve(new StreamClient(socket));
      });
      socket.once("error", reject);
    });
  }

  /** @param isHeld resolves at the first byte of the body; the answer goes on */
  send(request: Buffer, isHeld = false): Promise<Timing> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject, isHeld };
      this.#text = "";
      this.#firstByteMs = 0;
      this.#startMs = performance.now();
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    const waiting = this.#waiting;
    if (waiting === undefined) return;
    this.#text += chunk.toString("latin1");
    const bodyStart = this.#text.indexOf("\r\n\r\n") + 4;
    if (bodyStart < 4 || this.#text.length === bodyStart) return;
    if (this.#firstByteMs === 0) this.#firstByteMs = performance.now() - this.#startMs;
    if (!this.#text.startsWith("HTTP/1.1 200")) {
      waiting.reject(new Error(this.#text.slice(0, 300)));
      return;
    }
    if (!waiting.isHeld && !this.#isWhole(bodyStart)) return;
    this.#waiting = undefined;
    waiting.resolve({ firstByteMs: this.#firstByteMs, totalMs: performance.now() - this.#startMs });
  }

  #isWhole(bodyStart: number): boolean {
    const length = /content-length: (\d+)/i.exec(this.#text.slice(0, bodyStart))?.[1];
    if (length === undefined) return this.#text.endsWith("0\r\n\r\n");
    return this.#text.length >= bodyStart + Number(length);
  }
}

/** A chat request as bytes. */
export function chatRequest(body: string): Buffer {
  const head = ["POST /v1/chat/completions HTTP/1.1", "host: bench", "content-type: application/json"];
  return Buffer.from(`${head.join("\r\n")}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
