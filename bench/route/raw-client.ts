import { connect, type NetConnectOpts, type Socket } from "node:net";

/** Where a server listens: a TCP port of 127.0.0.1, or a Unix socket. */
export type ServerAddress = { readonly port: number } | { readonly path: string };

/** One keep-alive HTTP connection with as little of a client in it as possible: what is measured is the server. */
export class RawClient {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #waiting: { resolve(status: number): void; reject(error: Error): void } | undefined;
  #lastBody: Buffer = Buffer.alloc(0);

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (chunk) => this.#take(chunk));
    socket.on("error", (error) => this.#fail(error));
    socket.on("close", () => this.#fail(new Error("the server closed the connection")));
  }

  static connect(address: ServerAddress): Promise<RawClient> {
    const options: NetConnectOpts = "port" in address ? { host: "127.0.0.1", port: address.port } : address;
    return new Promise((resolve, reject) => {
      const socket = connect(options, () => {
        socket.off("error", reject);
        resolve(new RawClient(socket));
      });
      socket.once("error", reject);
    });
  }

  /** Sends a whole request. @returns the status, once the whole answer is there */
  send(request: Buffer): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
      this.#socket.write(request);
    });
  }

  /** Body of the last answer. */
  get lastBody(): string {
    return this.#lastBody.toString();
  }

  close(): void {
    this.#waiting = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const headEnd = this.#received.indexOf("\r\n\r\n");
    if (headEnd < 0) return;
    const head = this.#received.toString("latin1", 0, headEnd);
    const bodyStart = headEnd + 4;
    const bodyEnd = bodyStart + Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#received.length < bodyEnd) return;
    this.#lastBody = this.#received.subarray(bodyStart, bodyEnd);
    this.#received = this.#received.subarray(bodyEnd);
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.resolve(Number(head.slice(9, 12)));
  }

  #fail(error: Error): void {
    this.#waiting?.reject(error);
    this.#waiting = undefined;
  }
}

/** A whole POST request. */
export function postRequest(path: string, json: string): Buffer {
  const body = Buffer.from(json);
  const head = `POST ${path} HTTP/1.1\r\nhost: bench\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
