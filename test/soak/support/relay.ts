import { once } from "node:events";
import { connect, createServer, type Server, type Socket } from "node:net";
import { joinSockets } from "../../e2e/support/join-sockets.ts";

/** A TCP way to a port that can be closed, so that all connections break and none is taken, and opened again on the same port. */
export class Relay {
  readonly #host: string;
  readonly #port: number;
  readonly #targetPort: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;

  /** @param host of both ends */
  constructor(host: string, port: number, targetPort: number) {
    this.#host = host;
    this.#port = port;
    this.#targetPort = targetPort;
  }

  async open(): Promise<void> {
    const server = createServer((near) => this.#pass(near));
    server.listen(this.#port, this.#host);
    await once(server, "listening");
    this.#server = server;
  }

  async close(): Promise<void> {
    const server = this.#server;
    if (server === undefined) return;
    this.#server = undefined;
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #pass(near: Socket): void {
    const far = connect({ host: this.#host, port: this.#targetPort });
    joinSockets(near, far, this.#sockets);
  }
}
