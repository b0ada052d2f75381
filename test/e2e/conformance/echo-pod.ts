import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createHttp2Server, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { AddressInfo, Server, Socket } from "node:net";
import type { PoolWorker } from "../support/picker-settings.ts";

/** What a pod answers with: who it is and how it was reached. */
export interface Echo {
  readonly pod: string;
  /** The one of its ports that was asked. */
  readonly httpPort: number;
  readonly httpVersion: string;
  readonly path: string;
}

/** How a pool's pods are spoken to: an InferencePool's `appProtocol`. */
export type AppProtocol = "http" | "kubernetes.io/h2c";

/** A pod as the conformance tests deploy them: one address, the same answer on each of its ports. */
export class EchoPod {
  readonly name: string;
  readonly ip: string;
  readonly ports: readonly number[];
  readonly #servers: readonly Server[];
  readonly #sockets = new Set<Socket>();

  private constructor(name: string, ip: string, ports: readonly number[], servers: readonly Server[]) {
    this.name = name;
    this.ip = ip;
    this.ports = ports;
    this.#servers = servers;
    for (const server of servers) {
      server.on("connection", (socket: Socket) => {
        this.#sockets.add(socket);
        socket.on("close", () => this.#sockets.delete(socket));
      });
    }
  }

  /** @param protocol of all its ports. An h2c port speaks HTTP/2 only, with no upgrade from HTTP/1.1 */
  static async start(name: string, ip: string, ports: readonly number[], protocol: AppProtocol): Promise<EchoPod> {
    const servers = await Promise.all(ports.map((port) => listen(name, ip, port, protocol)));
    return new EchoPod(name, ip, ports, servers);
  }

  /** A worker for each port. */
  get workers(): readonly PoolWorker[] {
    return this.ports.map((port) => ({
      name: `${this.name}-${port}`,
      endpoint: `${this.ip}:${port}`,
      kvEventsEndpoint: undefined,
      kvReplayEndpoint: undefined,
    }));
  }

  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }
}

async function listen(pod: string, ip: string, port: number, protocol: AppProtocol): Promise<Server> {
  const answer = (request: IncomingMessage | Http2ServerRequest, response: ServerResponse | Http2ServerResponse) => {
    const { port: httpPort } = request.socket.address() as AddressInfo;
    const echo: Echo = { pod, httpPort, httpVersion: request.httpVersion, path: request.url ?? "" };
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(echo));
    });
  };
  const server = protocol === "http" ? createServer(answer) : createHttp2Server(answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(port, ip, resolve);
  });
  return server;
}
