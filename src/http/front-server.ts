import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { ListenError } from "../errors/index.ts";
import { apiErrorBody } from "./api-error.ts";
import { type HttpLog, type HttpTls, type ListenerLimits, ServerMaker } from "./node-server.ts";
import { PipelinedRequests } from "./pipelined-requests.ts";

/** Who answers. */
export interface FrontDoorway {
  /**
   * Answers one request; never throws.
   * @param awaitsInvitation whether the client sends its body only when it is told to (`Expect: 100-continue`)
   */
  receive(request: IncomingMessage, response: ServerResponse, awaitsInvitation?: boolean): void;
  setReady(isReady: boolean): void;
  /** From here on each answer ends its connection. */
  closeConnections(): void;
  /** Ends what runs, in the middle. */
  abandonAll(): void;
}

export interface FrontServerOptions {
  /** Where the address comes from, `proxy.listen`; for the error when it cannot be had. */
  readonly setting: string;
  readonly host: string;
  /** 0 = one that the system chooses. */
  readonly port: number;
  /** Whether other processes listen on that port: the system spreads connections among them. Default false. */
  readonly sharesPort?: boolean;
  /** How long connections are still taken after the drain has begun, in ms: who sends them learns of it meanwhile. Default 0. */
  readonly drainNoticeMs?: number;
  readonly tls: HttpTls;
  readonly limits: ListenerLimits;
}

const idleSweepMs = 50;
/** How long the last words to clients that are cut may take to get there. */
const lastWordsMs = 100;

/** The listening front door. */
export class FrontServer {
  readonly #server: ReturnType<ServerMaker["make"]>;
  readonly #maker: ServerMaker;
  readonly #door: FrontDoorway;
  readonly #drainNoticeMs: number;
  #closed: Promise<void> | undefined;

  private constructor(
    server: ReturnType<ServerMaker["make"]>,
    maker: ServerMaker,
    door: FrontDoorway,
    drainNoticeMs: number,
  ) {
    this.#server = server;
    this.#maker = maker;
    this.#door = door;
    this.#drainNoticeMs = drainNoticeMs;
  }

  /** Listens. Rejects with ListenError when the address cannot be had, with Error when a file cannot be used. */
  static async start(door: FrontDoorway, options: FrontServerOptions, log: HttpLog): Promise<FrontServer> {
    const { setting, host, port, sharesPort = false, drainNoticeMs = 0, tls, limits } = options;
    const maker = await ServerMaker.prepare(limits, tls, log);
    const pipelined = new PipelinedRequests();
    const server = maker.make((request, response) => {
      if (pipelined.admit(request, response)) door.receive(request, response);
    });
    server.on("checkContinue", (request, response) => {
      if (pipelined.admit(request, response)) door.receive(request, response, true);
    });
    server.on("clientError", (error, socket) => answerClientError(error, socket as Socket));
    await new Promise<void>((resolve, reject) => {
      const address = host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
      // Rejecting again, should it fail later, does nothing.
      server.on("error", (cause) => reject(new ListenError({ setting, address }, { cause })));
      server.listen({ host, port, reusePort: sharesPort }, () => resolve());
    });
    return new FrontServer(server, maker, door, drainNoticeMs);
  }

  /** `host:port`, `[v6]:port`. */
  get address(): string {
    const { address, port, family } = this.#server.address() as AddressInfo;
    return family === "IPv6" ? `[${address}]:${port}` : `${address}:${port}`;
  }

  setReady(isReady: boolean): void {
    this.#door.setReady(isReady);
  }

  /** Takes no new connections after the notice, lets what runs end, and cuts what has not `timeoutMs` later. */
  async drain(timeoutMs: number): Promise<void> {
    this.#door.closeConnections();
    if (this.#drainNoticeMs > 0) await new Promise((resolve) => setTimeout(resolve, this.#drainNoticeMs));
    const closed = this.#close();
    this.#server.closeIdleConnections();
    // Connections whose last answer was begun before do not end with it.
    const sweep = setInterval(() => this.#server.closeIdleConnections(), idleSweepMs);
    const timer = setTimeout(() => this.#cut(), timeoutMs);
    await closed;
    clearInterval(sweep);
    clearTimeout(timer);
  }

  async close(): Promise<void> {
    const closed = this.#close();
    this.#cut();
    await closed;
  }

  #close(): Promise<void> {
    this.#maker.close();
    this.#closed ??= new Promise((resolve) => (this.#server as Server).close(() => resolve()));
    return this.#closed;
  }

  /** Clients are told, and have a moment to read it. */
  #cut(): void {
    this.#door.abandonAll();
    setTimeout(() => this.#server.closeAllConnections(), lastWordsMs);
  }
}

const errorByCode: Readonly<
  Record<string, { status: string; code: "request_timeout" | "headers_too_large"; message: string }>
> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: "408 Request Timeout",
    code: "request_timeout",
    message: "the request came too slowly",
  },
  HPE_HEADER_OVERFLOW: {
    status: "431 Request Header Fields Too Large",
    code: "headers_too_large",
    message: "the headers are too long",
  },
};

/** A request that cannot be parsed, or whose headers came too slowly: there is no request object to answer through. */
function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable || socket.bytesWritten > 0) {
    socket.destroy(error);
    return;
  }
  const known = errorByCode[error.code ?? ""];
  const { status, code, message } = known ?? {
    status: "400 Bad Request",
    code: "invalid_request" as const,
    message: "this is no HTTP request",
  };
  const body = JSON.stringify(apiErrorBody({ message, code }, "openai"));
  const head = [`HTTP/1.1 ${status}`, "content-type: application/json", `content-length: ${Buffer.byteLength(body)}`];
  socket.end(`${[...head, "connection: close"].join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}
