import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** A request as a worker got it. */
export interface SeenRequest {
  readonly method: string;
  readonly target: string;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** Resolves when its connection or its answer ends. */
  readonly ended: Promise<"answered" | "left">;
}

/** What a worker does with a request; its body has been read. */
export type Behaviour = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

/** A worker that records what comes, byte for byte, and does as it is told. */
export class FakeWorker {
  readonly seen: SeenRequest[] = [];
  behave: Behaviour = (response) => json(response, 200, { ok: true });
  isHealthy = true;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    server.on("request", (request, response) => {
      this.#take(request, response).catch(() => response.destroy());
    });
  }

  static async start(behave?: Behaviour): Promise<FakeWorker> {
    const worker = new FakeWorker(createServer({ noDelay: true, keepAliveTimeout: 60_000, maxHeaderSize: 131_072 }));
    if (behave !== undefined) worker.behave = behave;
    await new Promise<void>((resolve) => worker.#server.listen(0, "127.0.0.1", resolve));
    return worker;
  }

  /** As `behave`, for a worker that may not be there. */
  answer(behave: Behaviour): void {
    this.behave = behave;
  }

  get endpoint(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Resets every connection, as a process that is killed does. */
  resetAll(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  async #take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === "/health") {
      response.writeHead(this.isHealthy ? 200 : 503).end();
      return;
    }
    const ended = new Promise<"answered" | "left">((resolve) => {
      response.on("close", () => resolve(response.writableFinished ? "answered" : "left"));
    });
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "", rawHeaders } = request;
    const seen = { method, target: url, rawHeaders, body: Buffer.concat(chunks), ended };
    this.seen.push(seen);
    await this.behave(response, seen);
  }
}

/** Answers with a JSON value. */
export function json(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

/** Begins a stream of events. */
export function sse(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  response.flushHeaders();
}

/** Resets after what was written has been read, however late a timer fires: a reset discards what its peer has not read yet. */
export function resetLater(response: ServerResponse, delayMs: number): void {
  setTimeout(() => setImmediate(() => reset(response)), delayMs);
}

/** Resets the connection of an answer. */
export function reset(response: ServerResponse): void {
  response.socket?.resetAndDestroy();
}
