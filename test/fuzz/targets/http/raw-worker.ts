import { createServer, type Server, type Socket } from "node:net";
import { type ParsedMessage, parseStrictly } from "./strict-parser.ts";

const answer = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"ok":true}';

/** A worker that reads by the strict parser. */
export class RawWorker {
  readonly seen: ParsedMessage[] = [];
  /** What was not HTTP by the letter. */
  readonly refusals: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => this.#serve(socket));
  }

  static async start(): Promise<RawWorker> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new RawWorker(server);
  }

  get endpoint(): string {
    const address = this.#server.address();
    return `127.0.0.1:${address !== null && typeof address === "object" ? address.port : 0}`;
  }

  close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("close", () => this.#sockets.delete(socket));
    socket.on("error", () => undefined);
    let received = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      for (;;) {
        const parsed = received.length === 0 ? "incomplete" : parseStrictly(received, 0, "request");
        if (parsed === "incomplete") return;
        if ("refused" in parsed) {
          this.refusals.push(`${parsed.refused}: ${received.toString("latin1").slice(0, 300)}`);
          socket.destroy();
          return;
        }
        this.seen.push(parsed);
        received = received.subarray(parsed.end);
        socket.write(answer);
      }
    });
  }
}
