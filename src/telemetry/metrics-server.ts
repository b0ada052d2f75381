import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What is served. */
export interface MetricsSource {
  readonly contentType: string;
  render(): Promise<string>;
}

/** Serves `/metrics` over plain HTTP. */
export class MetricsServer {
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  /**
   * Listens. Rejects with the system's error when the address cannot be had.
   * @param address `port` 0 lets the system choose
   */
  static async start(
    source: MetricsSource,
    address: { readonly host: string; readonly port: number },
  ): Promise<MetricsServer> {
    const server = createServer((request, response) => void answer(source, request, response));
    server.listen(address.port, address.host);
    await once(server, "listening");
    return new MetricsServer(server);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Stops listening and ends every connection. */
  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function answer(source: MetricsSource, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url?.split("?", 1)[0] !== "/metrics") return end(response, 404, "text/plain", "not found\n");
  if (request.method !== "GET" && request.method !== "HEAD") {
    response.setHeader("allow", "GET, HEAD");
    return end(response, 405, "text/plain", "method not allowed\n");
  }
  try {
    end(response, 200, source.contentType, await source.render());
  } catch {
    // A sample source that throws must not end the process; the scrape's failure is what an operator sees.
    end(response, 500, "text/plain", "metrics could not be collected\n");
  }
}

function end(response: ServerResponse, status: number, contentType: string, text: string): void {
  response.writeHead(status, { "content-type": contentType, "content-length": Buffer.byteLength(text) }).end(text);
}
