import { connect, createServer, type Server, type Socket } from "node:net";
import { joinSockets } from "./join-sockets.ts";

/** A TCP way to a port that can be cut as a network is: nobody is told, what was sent waits and arrives after the repair. */
export class CuttableLink {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Both ends of each connection, in the order in which they were made. */
  readonly #connections: (readonly [Socket, Socket])[] = [];
  #isCut = false;

  private constructor(targetPort: number) {
    this.#server = createServer((near) => {
      const far = connect({ host: "127.0.0.1", port: targetPort });
      this.#connections.push([near, far]);
      joinSockets(near, far, this.#sockets);
      if (this.#isCut) for (const socket of [near, far]) socket.pause();
    });
  }

  static async to(targetPort: number): Promise<CuttableLink> {
    const link = new CuttableLink(targetPort);
    await new Promise<void>((resolve) => link.#server.listen(0, "127.0.0.1", resolve));
    return link;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === "object" && address !== null ? address.port : 0;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Cuts one connection for good, the first having the number 0; the others go on. */
  cutOne(number: number): void {
    for (const socket of this.#connections[number] ?? []) socket.pause();
  }

  repair(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
