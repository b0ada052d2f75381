import { type ClientRequest, type IncomingMessage, Agent as PlainAgent, get as plainGet } from "node:http";
import { Agent as TlsAgent, get as tlsGet } from "node:https";
import { parseEndpoint } from "./endpoint.ts";

/** How the certificates of workers that speak HTTPS are checked. */
export interface WorkerTls {
  /** PEM certificates of authorities; undefined = the system's. */
  readonly ca: Buffer | undefined;
  /** Name that certificates must have; undefined = the endpoint's address. */
  readonly serverName: string | undefined;
  /** Whether certificates are checked at all. */
  readonly verify: boolean;
}

/** Whether an endpoint speaks HTTPS, and how its certificate is checked; undefined = it speaks HTTP. */
export type WorkerTlsOf = (endpoint: string) => WorkerTls | undefined;

/** GETs from workers over kept-alive connections, one a worker. */
export class WorkerGets {
  readonly #tlsOf: WorkerTlsOf;
  readonly #plain = new PlainAgent({ keepAlive: true, maxSockets: 1 });
  readonly #tls = new TlsAgent({ keepAlive: true, maxSockets: 1 });

  constructor(tlsOf: WorkerTlsOf) {
    this.#tlsOf = tlsOf;
  }

  get(
    endpoint: string,
    path: string,
    signal: AbortSignal,
    onAnswer: (response: IncomingMessage) => void,
  ): ClientRequest {
    const { host, port } = parseEndpoint(endpoint) ?? {};
    const options = { host, port, path, signal };
    const tls = this.#tlsOf(endpoint);
    if (tls === undefined) return plainGet({ ...options, agent: this.#plain }, onAnswer);
    const { ca, serverName, verify } = tls;
    const checks = { rejectUnauthorized: verify, ...(ca && { ca }), ...(serverName && { servername: serverName }) };
    return tlsGet({ ...options, ...checks, agent: this.#tls }, onAnswer);
  }

  /** Closes idle connections. */
  close(): void {
    this.#plain.destroy();
    this.#tls.destroy();
  }
}
