import { Redis, type RedisOptions } from "ioredis";
import { every, type ReplicaEnvironment } from "./environment.ts";

/** How Redis is reached. */
export interface RedisLinkOptions {
  /** `redis://host:port`, or `rediss:` for TLS. */
  readonly url: string;
  readonly channels: readonly string[];
  readonly username?: string | undefined;
  /** Longest wait for a connection, and longest time without a message of this replica's own. */
  readonly timeoutMs: number;
  readonly reconnectMinMs: number;
  readonly reconnectMaxMs: number;
}

/** As Node's TLS takes it. */
export interface RedisTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
}

interface Secrets {
  readonly password: string | undefined;
  /** Without meaning for `redis:`. */
  readonly tls: RedisTls;
}

/** What is read anew for each connection, so that it can be changed while the picker runs. */
export type RedisSecrets = () => Promise<Secrets>;

/** Told what comes of the link. */
export interface RedisLinkObserver {
  connected(): void;
  /** Told once, when there is no connection for the first time or any more; not of each vain attempt after it. */
  lost(cause: unknown): void;
  /** @returns whether this replica has sent it */
  message(text: string, channel: string): boolean;
}

interface Connection {
  readonly publisher: Redis;
  readonly subscriber: Redis;
  /** Resolves with the cause once either is closed. */
  readonly ended: Promise<unknown>;
}

/** Looks for silence in the time that is allowed. */
const looksPerTimeout = 10;

/**
 * Channels of a Redis server for text messages, from construction to `close`. It stores nothing there. Who sends hears
 * himself: when he does not, the connection is made anew. Until there is one, messages are refused and not kept.
 */
export class RedisLink {
  readonly #options: RedisLinkOptions;
  readonly #secrets: RedisSecrets;
  readonly #observer: RedisLinkObserver;
  readonly #environment: ReplicaEnvironment;
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  /** Refuses messages that are under way when their connection is lost: Redis's own client would wait for its socket. */
  readonly #underWay = new Set<(cause: unknown) => void>();
  #open: Connection | undefined;
  #refusal: unknown;
  #heardAtMs = 0;
  #isLossTold = false;

  constructor(
    options: RedisLinkOptions,
    secrets: RedisSecrets,
    observer: RedisLinkObserver,
    environment: ReplicaEnvironment,
  ) {
    this.#options = options;
    this.#secrets = secrets;
    this.#observer = observer;
    this.#environment = environment;
    this.#running = this.#run();
  }

  /** Whether anything can be sent. */
  isOpen(): boolean {
    return this.#open !== undefined;
  }

  /** Rejects when the message did not get out. */
  publish(channel: string, text: string): Promise<void> {
    const { publisher } = this.#open ?? {};
    if (publisher === undefined) return Promise.reject(new Error("Redis is not connected"));
    return new Promise((resolve, reject) => {
      this.#underWay.add(reject);
      const settled = (settle: () => void) => {
        this.#underWay.delete(reject);
        settle();
      };
      publisher.publish(channel, text).then(
        () => settled(resolve),
        (cause: unknown) => {
          this.#refusal = cause;
          settled(() => reject(cause));
        },
      );
    });
  }

  /** Closes the connection, and makes no other. */
  async close(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { reconnectMinMs, reconnectMaxMs } = this.#options;
    let delayMs = reconnectMinMs;
    while (!this.#end.signal.aborted) {
      const { wasOpen, cause } = await this.#connectOnce();
      if (this.#end.signal.aborted) return;
      if (!this.#isLossTold) this.#observer.lost(cause);
      this.#isLossTold = true;
      // Replicas that lost one server together do not come back together.
      await this.#pause((wasOpen ? reconnectMinMs : delayMs) * (0.5 + this.#environment.random() / 2));
      delayMs = wasOpen ? reconnectMinMs : Math.min(2 * delayMs, reconnectMaxMs);
    }
  }

  /** One connection from its making to its end. Never rejects. */
  async #connectOnce(): Promise<{ readonly wasOpen: boolean; readonly cause: unknown }> {
    let connection: Connection | undefined;
    try {
      connection = dial(this.#options, await this.#secrets());
      const deadline = AbortSignal.timeout(this.#options.timeoutMs);
      const subscribed = unlessAborted(this.#subscribe(connection), deadline);
      await unlessAborted(Promise.race([subscribed, rejected(connection.ended)]), this.#end.signal);
    } catch (cause) {
      disconnect(connection);
      return { wasOpen: false, cause };
    }
    this.#open = connection;
    this.#refusal = undefined;
    this.#isLossTold = false;
    this.#observer.connected();
    const cause = await this.#untilLost(connection);
    this.#open = undefined;
    disconnect(connection);
    for (const refuse of this.#underWay) refuse(cause);
    this.#underWay.clear();
    return { wasOpen: true, cause };
  }

  async #subscribe({ publisher, subscriber }: Connection): Promise<void> {
    subscriber.on("message", (channel: string, text: string) => {
      if (this.#observer.message(text, channel)) this.#heardAtMs = this.#environment.now();
    });
    await Promise.all([publisher.connect(), subscriber.connect()]);
    await subscriber.subscribe(...this.#options.channels);
    this.#heardAtMs = this.#environment.now();
  }

  /** Why the connection is no longer any good. Never rejects. */
  async #untilLost({ ended }: Connection): Promise<unknown> {
    const { timeoutMs } = this.#options;
    let stop = () => {};
    const silence = new Promise<unknown>((resolve) => {
      stop = every(this.#environment, timeoutMs / looksPerTimeout, () => {
        const isSilent = this.#environment.now() - this.#heardAtMs >= timeoutMs;
        if (isSilent)
          resolve(new Error(`no message of this replica came back for ${timeoutMs} ms`, { cause: this.#refusal }));
      });
    });
    try {
      return await unlessAborted(Promise.race([ended, silence]), this.#end.signal);
    } catch (cause) {
      return cause;
    } finally {
      stop();
    }
  }

  async #pause(delayMs: number): Promise<void> {
    let cancel = () => {};
    const over = new Promise<void>((resolve) => {
      cancel = this.#environment.after(delayMs, resolve);
    });
    await unlessAborted(over, this.#end.signal).catch(() => undefined);
    cancel();
  }
}

function dial({ url, username, timeoutMs }: RedisLinkOptions, { password, tls }: Secrets): Connection {
  const { protocol, hostname, port } = new URL(url);
  const options = {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? 6_379 : Number(port),
    lazyConnect: true,
    connectTimeout: timeoutMs,
    connectionName: "pointsman",
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    autoResubscribe: false,
    username,
    password,
    ...(protocol === "rediss:" ? { tls } : {}),
  } satisfies RedisOptions;
  const publisher = new Redis(options);
  const subscriber = new Redis(options);
  return { publisher, subscriber, ended: Promise.race([endOf(publisher), endOf(subscriber)]) };
}

/** Resolves with the last error of a client, once it is closed for good. */
function endOf(client: Redis): Promise<unknown> {
  let cause: unknown = new Error("the connection was closed");
  client.on("error", (error: unknown) => {
    cause = error;
  });
  return new Promise((resolve) => client.once("end", () => resolve(cause)));
}

async function rejected(cause: Promise<unknown>): Promise<never> {
  throw await cause;
}

/** As `promise`, but rejects with the signal's reason once that aborts. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let abort = () => {};
  const abortion = new Promise<never>((_resolve, reject) => {
    abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort, { once: true });
  });
  if (signal.aborted) abort();
  try {
    return await Promise.race([promise, abortion]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

function disconnect(connection: Connection | undefined): void {
  connection?.publisher.disconnect();
  connection?.subscriber.disconnect();
}
