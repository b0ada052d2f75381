import { type AddressInfo, connect, type Socket } from "node:net";
import { createServer, type Server } from "node:tls";
import { selfSignedPair } from "../../../src/http/index.ts";

/** TLS before a server that speaks none. Its certificate is for `localhost`. */
export class TlsFront {
  /** PEM of who signed the certificate. */
  readonly ca: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, ca: string) {
    this.#server = server;
    this.ca = ca;
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
  }

  static async to(port: number): Promise<TlsFront> {
    const { cert, key } = await selfSignedPair();
    const server = createServer({ cert, key }, (near) => {
      const far = connect({ host: "127.0.0.1", port });
      near.on("error", () => far.destroy()).pipe(far);
      far.on("error", () => near.destroy()).pipe(near);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new TlsFront(server, cert.toString());
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}
