import { Pool } from "undici";
import { type WaitClock, WaitingExchanges } from "./waiting-exchanges.ts";
import { type AnswerReceiver, UndiciExchange, type WorkerExchange } from "./worker-exchange.ts";

/** How workers are spoken to. */
export interface WorkerPoolsOptions {
  /** How a worker that speaks HTTPS is checked; undefined = it speaks HTTP. */
  readonly tlsOf: (endpoint: string) => WorkerTls | undefined;
  /** Most connections to one worker. */
  readonly maxConnections: number;
  /** Longest time for a connection to come about, ms. */
  readonly connectTimeoutMs: number;
  /** Longest wait for a connection, a new one or one that comes free, ms; 0 = for ever. */
  readonly connectionWaitTimeoutMs: number;
  /** Longest time from the end of a request to the head of its answer, ms; 0 = for ever. */
  readonly headTimeoutMs: number;
  /** Longest pause within an answer that is read, ms; 0 = for ever. */
  readonly stallTimeoutMs: number;
  /** Longest headers of an answer together, in bytes. */
  readonly maxHeaderBytes: number;
  /** How long a connection without requests is kept, ms. */
  readonly keepAliveMs: number;
}

/** How the certificate of a worker is checked. */
export interface WorkerTls {
  /** PEM certificates of authorities; undefined = the system's. */
  readonly ca: Buffer | undefined;
  /** Name that the certificate must have; undefined = the endpoint's address. */
  readonly serverName: string | undefined;
  /** Whether it is checked at all. */
  readonly verify: boolean;
}

/** A request as it goes to a worker. */
export interface WorkerRequest {
  /** `ip:port` or `[v6]:port`. */
  readonly endpoint: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values in turn; without those of the connection, `host` and `content-length`, which are set here. */
  readonly headers: readonly string[];
  /** Not to be changed before the exchange is over; undefined = the request has none. */
  readonly body: Buffer | undefined;
}

/** Kept-alive connections to workers over HTTP/1.1, one request at a time on each, without Nagle's delay. */
export class WorkerPools {
  readonly #options: WorkerPoolsOptions;
  readonly #pools = new Map<string, Pool>();
  readonly #waits: WaitingExchanges;
  readonly #fault: (cause: unknown) => void;

  /** @param fault told what `failed` of a receiver throws, which the receiver itself has to prevent */
  constructor(options: WorkerPoolsOptions, clock: WaitClock, fault: (cause: unknown) => void) {
    this.#options = options;
    this.#fault = fault;
    this.#waits = new WaitingExchanges(options.connectionWaitTimeoutMs, clock);
  }

  /** Sends a request; its answer goes to the receiver, a failure perhaps before this returns. */
  send({ endpoint, method, path, headers, body }: WorkerRequest, receiver: AnswerReceiver): WorkerExchange {
    const exchange = new UndiciExchange(receiver, this.#waits, this.#fault);
    this.#poolOf(endpoint).dispatch(
      { method, path, headers: linesFor(headers, body), body: bodyFor(body), idempotent: false },
      exchange,
    );
    return exchange;
  }

  /** Closes the connections to a worker that is gone; what runs there may end. */
  drop(endpoint: string): void {
    const pool = this.#pools.get(endpoint);
    if (pool === undefined) return;
    this.#pools.delete(endpoint);
    // The promise only tells when the last request has ended; its own receiver learns of its failure.
    pool.close().catch(() => undefined);
  }

  /** Closes all connections at once. */
  async close(): Promise<void> {
    this.#waits.close();
    const pools = [...this.#pools.values()];
    this.#pools.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
  }

  #poolOf(endpoint: string): Pool {
    const known = this.#pools.get(endpoint);
    if (known !== undefined) return known;
    const { maxConnections, connectTimeoutMs, headTimeoutMs, stallTimeoutMs, keepAliveMs, maxHeaderBytes } =
      this.#options;
    const tls = this.#options.tlsOf(endpoint);
    const pool = new Pool(`${tls === undefined ? "http" : "https"}://${endpoint}`, {
      ...(tls && { connect: connectOptions(tls) }),
      connections: maxConnections,
      pipelining: 1,
      connectTimeout: connectTimeoutMs,
      headersTimeout: headTimeoutMs,
      bodyTimeout: stallTimeoutMs,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: Math.max(keepAliveMs, longestKeepAliveMs),
      maxHeaderSize: maxHeaderBytes,
      allowH2: false,
    });
    this.#pools.set(endpoint, pool);
    return pool;
  }
}

function connectOptions({ ca, serverName, verify }: WorkerTls) {
  return { rejectUnauthorized: verify, ...(ca && { ca }), ...(serverName && { servername: serverName }) };
}

/** A worker that announces how long it keeps connections is believed up to here. */
const longestKeepAliveMs = 60_000;

/** undici keeps a body until the answer has ended, and a stream takes minutes: longer ones are handed over and forgotten. */
const longestKeptBytes = 16_384;

function linesFor(headers: readonly string[], body: Buffer | undefined): string[] {
  const isHandedOver = body !== undefined && body.length > longestKeptBytes;
  return isHandedOver ? [...headers, "content-length", String(body.length)] : (headers as string[]);
}

/** Iterables are taken by undici, and left out of its types. */
function bodyFor(body: Buffer | undefined): Buffer | null {
  if (body === undefined) return null;
  return body.length > longestKeptBytes ? (new OneTimeBody(body) as unknown as Buffer) : body;
}

/** Bytes that can be read once, and are forgotten then. */
class OneTimeBody implements Iterable<Buffer> {
  #bytes: Buffer | undefined;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  *[Symbol.iterator](): Generator<Buffer> {
    const bytes = this.#bytes;
    this.#bytes = undefined;
    if (bytes !== undefined) yield bytes;
  }
}
