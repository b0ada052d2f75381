import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { ListenError } from "../errors/index.ts";
import { type ApiError, apiErrorBody } from "./api-error.ts";
import { type HttpLog, type HttpTls, type ListenerLimits, ServerMaker } from "./node-server.ts";

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
  /**
   * Whether other processes listen on that port: the system spreads connections among them. Then it listens from `open` on only, since what
   * comes sooner would be answered by a process that is not ready, in the place of one that is. Default false.
   */
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
  readonly #options: FrontServerOptions;
  #isOpen = false;
  #closed: Promise<void> | undefined;

  private constructor(
    server: ReturnType<ServerMaker["make"]>,
    maker: ServerMaker,
    door: FrontDoorway,
    options: FrontServerOptions,
  ) {
    this.#server = server;
    this.#maker = maker;
    this.#door = door;
    this.#options = options;
  }

  /** Listens, unless the port is shared. Rejects with ListenError when the address cannot be had, with Error when a file cannot be used. */
  static async start(door: FrontDoorway, options: FrontServerOptions, log: HttpLog): Promise<FrontServer> {
    const { sharesPort = false, tls, limits } = options;
    const maker = await ServerMaker.prepare(limits, tls, log);
    const server = maker.make({
      receive: (request, response, awaitsInvitation) => door.receive(request, response, awaitsInvitation),
      errorBody: bodyOf,
    });
    const front = new FrontServer(server, maker, door, options);
    if (!sharesPort) await front.open();
    return front;
  }

  /** `host:port`, `[v6]:port`. */
  get address(): string {
    const bound = this.#server.address() as AddressInfo | null;
    return bound === null ? placeOf(this.#options) : placeOf({ host: bound.address, port: bound.port });
  }

  /** Listens, if it does not yet and is not closed. Rejects with ListenError when the address cannot be had. */
  async open(): Promise<void> {
    if (this.#isOpen || this.#closed !== undefined) return;
    this.#isOpen = true;
    const { setting, host, port, sharesPort = false } = this.#options;
    await new Promise<void>((resolve, reject) => {
      // Rejecting again, should it fail later, does nothing.
      this.#server.on("error", (cause) =>
        reject(new ListenError({ setting, address: placeOf({ host, port }) }, { cause })),
      );
      this.#server.listen({ host, port, reusePort: sharesPort }, () => resolve());
    });
  }

  setReady(isReady: boolean): void {
    this.#door.setReady(isReady);
  }

  /** Takes no new connections after the notice, lets what runs end, and cuts what has not `timeoutMs` later. */
  async drain(timeoutMs: number): Promise<void> {
    this.#door.closeConnections();
    const { drainNoticeMs = 0 } = this.#options;
    if (drainNoticeMs > 0) await new Promise((resolve) => setTimeout(resolve, drainNoticeMs));
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

function placeOf({ host, port }: Pick<FrontServerOptions, "host" | "port">): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

function bodyOf(error: ApiError): string {
  return JSON.stringify(apiErrorBody(error, "openai"));
}
