import { chmod } from "node:fs/promises";
import type { RequestListener, Server } from "node:http";
import type { AddressInfo } from "node:net";
import { type FastifyInstance, fastify } from "fastify";
import { ListenError } from "../errors/index.ts";
import type { BearerTokens } from "./bearer-tokens.ts";
import { errorAnswer } from "./error-answer.ts";
import { type HttpLog, type HttpTls, ServerMaker } from "./node-server.ts";
import type { Operation } from "./operation.ts";
import { type HttpLimits, RequestLimits } from "./request-limits.ts";
import { answerBadPath, type HttpObserver, serveOperations } from "./serve-operations.ts";
import type { RequestTaker } from "./taken-requests.ts";
import { freeSocketPath } from "./unix-socket.ts";

/** Where a listener is reached: a TCP port (0 = one that the system chooses), or a Unix socket. */
export type HttpAddress =
  | { readonly kind: "tcp"; readonly host: string; readonly port: number }
  | {
      readonly kind: "unix";
      readonly path: string;
      /** Permission bits of the socket; undefined = as the process makes files, which other users cannot connect to. */
      readonly mode: number | undefined;
    };

export interface HttpListenerOptions {
  /** Where the address comes from, `routeApi.listen`; for the error when it cannot be had. */
  readonly setting: string;
  readonly address: HttpAddress;
  readonly tls: HttpTls;
  readonly limits: HttpLimits;
  /** Undefined = nobody needs a token. */
  readonly tokens: BearerTokens | undefined;
  /** `Retry-After` of 429 and 503 answers whose error names none. */
  readonly retryAfterSeconds: number;
}

export interface HttpListenerDependencies {
  readonly log: HttpLog;
  readonly observer: HttpObserver;
  /** Milliseconds on a monotonic scale. */
  readonly now: () => number;
}

/** Parameters in a path are ids; a longer one names nothing. */
const maxParamLength = 1_024;

/** Serves operations over HTTP/1.1 on one address, with or without TLS. */
export class HttpListener {
  readonly #app: FastifyInstance;
  readonly #maker: ServerMaker;
  readonly #address: HttpAddress;

  private constructor(app: FastifyInstance, maker: ServerMaker, address: HttpAddress) {
    this.#app = app;
    this.#maker = maker;
    this.#address = address;
  }

  /** Listens. Rejects with ListenError when the address cannot be had, with Error when a file cannot be used. */
  static async start(
    operations: readonly Operation[],
    options: HttpListenerOptions,
    dependencies: HttpListenerDependencies,
  ): Promise<HttpListener> {
    const { address, limits, tls, tokens, retryAfterSeconds } = options;
    const maker = await ServerMaker.prepare(limits, tls, dependencies.log);
    const app = fastify({
      logger: false,
      serverFactory: (handler) => maker.make(takerOf(handler)) as Server,
      // The server does that itself, behind what it has answered.
      clientErrorHandler: () => undefined,
      frameworkErrors: (error, _request, reply) => answerBadPath(error, reply),
      routerOptions: { maxParamLength },
      return503OnClosing: false,
      forceCloseConnections: "idle",
    });
    serveOperations(app, operations, {
      ...dependencies,
      limits: new RequestLimits(limits),
      tokens,
      retryAfterSeconds,
    });
    const listener = new HttpListener(app, maker, address);
    try {
      await listener.#listen();
    } catch (cause) {
      await listener.close(0);
      throw new ListenError({ setting: options.setting, address: textOf(address) }, { cause });
    }
    return listener;
  }

  /** As a client writes it: `host:port`, `[v6]:port`, or the socket's path. */
  get address(): string {
    if (this.#address.kind === "unix") return this.#address.path;
    const { address, port, family } = this.#app.server.address() as AddressInfo;
    return family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
  }

  /**
   * Refuses new connections, lets running requests end, and cuts those that have not after `drainMs`.
   * @param drainMs 0 = at once
   */
  async close(drainMs: number): Promise<void> {
    this.#maker.close();
    const timer = setTimeout(() => this.#app.server.closeAllConnections(), drainMs);
    try {
      await this.#app.close();
    } finally {
      clearTimeout(timer);
    }
  }

  async #listen(): Promise<void> {
    const address = this.#address;
    if (address.kind === "tcp") {
      await this.#app.listen({ host: address.host, port: address.port });
      return;
    }
    await freeSocketPath(address.path);
    await this.#app.listen({ path: address.path });
    if (address.mode !== undefined) await chmod(address.path, address.mode);
  }
}

function takerOf(handler: RequestListener): RequestTaker {
  return {
    receive: (request, response, awaitsInvitation) => {
      if (awaitsInvitation) response.writeContinue();
      handler(request, response);
    },
    errorBody: (error) => errorAnswer(error, 0).body,
  };
}

function textOf(address: HttpAddress): string {
  if (address.kind === "unix") return address.path;
  const { host, port } = address;
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
