import { createServer, type Server, type ServerOptions } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import {
  clientChecksOf,
  contextOf,
  filesOf,
  type ListenerPems,
  type PemSource,
  readListenerPems,
  watchListenerPems,
} from "./certificates.ts";
import type { HttpLimits } from "./request-limits.ts";
import { type RequestTaker, takeRequests } from "./taken-requests.ts";

/** Transport security of a listener. */
export type HttpTls = { readonly kind: "off" } | PemSource;

/** Structured log, the shape of pino's. */
export interface HttpLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Bounds that the server itself keeps. */
export type ListenerLimits = Pick<
  HttpLimits,
  "maxConnections" | "headersTimeoutMs" | "requestTimeoutMs" | "keepAliveTimeoutMs"
> & {
  /** Longest headers of a request together, in bytes; longer ones are answered 431. Default 16 384, Node's. */
  readonly maxHeaderBytes?: number;
};

/** Makes the server that a listener runs on, and keeps its certificate fresh. */
export class ServerMaker {
  readonly #limits: ListenerLimits;
  readonly #tls: HttpTls;
  readonly #pems: ListenerPems | undefined;
  readonly #log: HttpLog;
  #stopWatching: () => void = () => undefined;

  private constructor(limits: ListenerLimits, tls: HttpTls, pems: ListenerPems | undefined, log: HttpLog) {
    this.#limits = limits;
    this.#tls = tls;
    this.#pems = pems;
    this.#log = log;
  }

  /** Reads or makes the certificate. @throws Error naming the file that cannot be used */
  static async prepare(limits: ListenerLimits, tls: HttpTls, log: HttpLog): Promise<ServerMaker> {
    return new ServerMaker(limits, tls, tls.kind === "off" ? undefined : await readListenerPems(tls), log);
  }

  make(taker: RequestTaker): Server | TlsServer {
    const server = this.#bare();
    takeRequests(server as Server, taker);
    server.maxConnections = this.#limits.maxConnections;
    return server;
  }

  close(): void {
    this.#stopWatching();
  }

  #bare(): Server | TlsServer {
    const { headersTimeoutMs, requestTimeoutMs, keepAliveTimeoutMs, maxHeaderBytes } = this.#limits;
    const options: ServerOptions = {
      // Node refuses to start with more time for the headers than for the whole.
      headersTimeout: Math.min(headersTimeoutMs, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: Math.min(30_000, Math.max(100, headersTimeoutMs / 4)),
      noDelay: true,
      // Node answers such a request and goes on with those behind it; `framingError` ends the connection.
      requireHostHeader: false,
      ...(maxHeaderBytes === undefined ? {} : { maxHeaderSize: maxHeaderBytes }),
    };
    if (this.#pems === undefined || this.#tls.kind === "off") return createServer(options);
    const server = createTlsServer({ ...options, ...contextOf(this.#pems), ...clientChecksOf(this.#tls) });
    this.#watch(this.#tls, this.#pems, server);
    return server;
  }

  #watch(source: PemSource, first: ListenerPems, server: TlsServer): void {
    const files = filesOf(source);
    this.#stopWatching = watchListenerPems(source, first, {
      after: (delayMs, callback) => {
        const timer = setTimeout(callback, delayMs).unref();
        return () => clearTimeout(timer);
      },
      onChange: (pems) => {
        server.setSecureContext(contextOf(pems));
        this.#log.info(files, "http: new certificates");
      },
      onFailure: (err) => {
        this.#log.error({ err, ...files }, "http: cannot reload the certificates, keeping the old ones");
      },
    });
  }
}
