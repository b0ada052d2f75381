import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A response as it came over the wire, decoded no further than its framing. */
export interface RawResponse {
  readonly status: number;
  /** Lower-case names; a repeated header keeps its last value. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * One HTTP/1.1 exchange on a socket of its own, for requests that no client library would send: broken bytes, trailers, a
 * body that stops half-way, a connection cut in the middle of an answer.
 */
export class RawExchange {
  readonly #socket: Socket;
  #received = Buffer.alloc(0);
  #isClosed = false;
  /** Who waits for more. Listeners of their own on the socket would pile up, one for each piece of an answer. */
  #waiting: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on("data", (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
    // A cut connection is an expected outcome; `response` reports it.
    socket.on("error", () => {});
  }

  static async open(port: number): Promise<RawExchange> {
    const socket = connect({ host: "127.0.0.1", port, noDelay: true });
    await once(socket, "connect");
    return new RawExchange(socket);
  }

  /** Sends a whole POST of JSON on a connection of its own. */
  static async post(port: number, path: string, body: string): Promise<RawExchange> {
    const exchange = await RawExchange.open(port);
    return exchange.head("POST", path, { "content-length": `${Buffer.byteLength(body)}` }).write(body);
  }

  /** Sends the request line and headers. `headers` must frame the body; `host` is added. */
  head(method: string, path: string, headers: Readonly<Record<string, string>>): this {
    const lines = Object.entries({ host: "gateway.test", ...headers }).map(([name, value]) => `${name}: ${value}`);
    return this.write(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  }

  /** Sends bytes as they are. */
  write(bytes: string | Buffer): this {
    this.#socket.write(bytes);
    return this;
  }

  /** Sends one chunk of a chunked body. */
  chunk(bytes: string | Buffer): this {
    const data = Buffer.from(bytes);
    return this.write(`${data.length.toString(16)}\r\n`)
      .write(data)
      .write("\r\n");
  }

  /** Ends a chunked body, with trailers or without. */
  lastChunk(trailers: Readonly<Record<string, string>> = {}): this {
    const lines = Object.entries(trailers).map(([name, value]) => `${name}: ${value}\r\n`);
    return this.write(`0\r\n${lines.join("")}\r\n`);
  }

  /** Everything received so far, undecoded. */
  get received(): Buffer {
    return this.#received;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Resolves once `bytes` have come in, or rejects when the connection ends first. */
  async receive(text: string): Promise<void> {
    while (!this.#received.includes(text)) await this.#more(`"${text}"`);
  }

  /** The whole response. Rejects when the connection ends before the response does. */
  async response(): Promise<RawResponse> {
    for (;;) {
      const response = decode(this.#received);
      if (response !== undefined) return response;
      await this.#more("the end of the response");
    }
  }

  /** Resolves when the other side has closed. */
  async closed(): Promise<void> {
    while (!this.#isClosed) await this.#more("the close").catch(() => {});
  }

  /** Cuts the connection. */
  abort(): void {
    this.#socket.destroy();
  }

  async #more(what: string): Promise<void> {
    if (this.#isClosed) throw new Error(`connection closed before ${what}, after: ${this.#received.subarray(0, 500)}`);
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

function decode(bytes: Buffer): RawResponse | undefined {
  const headEnd = bytes.indexOf("\r\n\r\n");
  if (headEnd < 0) return undefined;
  const [statusLine = "", ...lines] = bytes.subarray(0, headEnd).toString("latin1").split("\r\n");
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
  }
  const status = Number(statusLine.split(" ")[1]);
  const rest = bytes.subarray(headEnd + 4);
  if (status === 100) return decode(rest);
  const isChunked = headers.get("transfer-encoding") === "chunked";
  const body = isChunked ? chunkedBody(rest) : sizedBody(rest, Number(headers.get("content-length") ?? 0));
  return body === undefined ? undefined : { status, headers, body };
}

function sizedBody(bytes: Buffer, length: number): Buffer | undefined {
  return bytes.length < length ? undefined : bytes.subarray(0, length);
}

function chunkedBody(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString("latin1"), 16);
    const start = lineEnd + 2;
    if (size === 0) return bytes.indexOf("\r\n", start) < 0 ? undefined : Buffer.concat(chunks);
    if (bytes.length < start + size + 2) return undefined;
    chunks.push(bytes.subarray(start, start + size));
    at = start + size + 2;
  }
}
