import { once } from "node:events";
import { createServer, type Server } from "node:http";

/** A collector of traces that keeps nothing, on a port that it keeps over restarts. */
export class Collector {
  readonly port: number;
  /** Messages taken so far. */
  messages = 0;
  #server: Server | undefined;

  constructor(port: number) {
    this.port = port;
  }

  async open(): Promise<void> {
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        this.messages++;
        response.writeHead(200, { "content-type": "application/json" }).end("{}");
      });
    });
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  }
}
