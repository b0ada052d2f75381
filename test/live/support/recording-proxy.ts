import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { Agent, request } from "undici";

/** A request as it came from Envoy. */
export interface Passed {
  /** Names in lower case. */
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

/** Stands before a server and passes everything on, so that a test sees what is posted there. Health probes are not kept. */
export class RecordingProxy {
  readonly #server: Server;
  readonly #target: string;
  readonly #agent = new Agent();
  #passed: Passed[] = [];

  private constructor(target: string) {
    this.#target = target;
    this.#server = createServer((incoming, outgoing) => {
      this.#pass(incoming, outgoing).catch((error: Error) => outgoing.destroy(error));
    });
  }

  /** @param target `host:port` */
  static async start(target: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target);
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  /** `host:port`. */
  get endpoint(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** What was posted since the last call, in the order in which their bodies ended. */
  take(): readonly Passed[] {
    const passed = this.#passed;
    this.#passed = [];
    return passed;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await this.#agent.destroy();
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    const { headers, method = "GET", url = "/" } = incoming;
    if (method === "POST") this.#passed.push({ headers, body });
    const { "transfer-encoding": _framing, "content-length": _length, connection: _hop, ...kept } = headers;
    const answer = await request(`http://${this.#target}${url}`, {
      method: method as "GET",
      headers: kept,
      ...(body.length === 0 ? {} : { body }),
      dispatcher: this.#agent,
    });
    const { "transfer-encoding": _theirs, connection: _theirHop, ...answered } = answer.headers;
    outgoing.writeHead(answer.statusCode, answered);
    await pipeline(answer.body, outgoing);
  }
}
