import type { Redis } from "ioredis";
import {
  type ConnectionMaker,
  dialRedis,
  endOfClient,
  KeptConnection,
  type RedisSecrets,
  unlessAborted,
} from "../redis/index.ts";
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
export class RedisLink implements ConnectionMaker<Connection> {
  readonly #options: RedisLinkOptions;
  readonly #secrets: RedisSecrets;
  readonly #observer: RedisLinkObserver;
  readonly #environment: ReplicaEnvironment;
  readonly #kept: KeptConnection<Connection>;
  /** Refuses messages that are under way when their connection is lost: Redis's own client would wait for its socket. */
  readonly #underWay = new Set<(cause: unknown) => void>();
  #refusal: unknown;
  #heardAtMs = 0;

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
    this.#kept = new KeptConnection(this, options, observer, environment);
  }

  /** Whether anything can be sent. */
  isOpen(): boolean {
    return this.#kept.current !== undefined;
  }

  /** Rejects when the message did not get out. */
  publish(channel: string, text: string): Promise<void> {
    const { publisher } = this.#kept.current ?? {};
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
    await this.#kept.close();
  }

  async open(signal: AbortSignal): Promise<Connection> {
    const connection = dial(this.#options, await this.#secrets());
    try {
      const deadline = AbortSignal.timeout(this.#options.timeoutMs);
      const subscribed = unlessAborted(this.#subscribe(connection), deadline);
      await unlessAborted(Promise.race([subscribed, rejected(connection.ended)]), signal);
    } catch (cause) {
      disconnect(connection);
      throw cause;
    }
    this.#refusal = undefined;
    return connection;
  }

  /** Why the connection is no longer any good. Never rejects. */
  async untilLost({ ended }: Connection, signal: AbortSignal): Promise<unknown> {
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
      return await unlessAborted(Promise.race([ended, silence]), signal);
    } catch (cause) {
      return cause;
    } finally {
      stop();
    }
  }

  drop(connection: Connection, cause: unknown): void {
    disconnect(connection);
    for (const refuse of this.#underWay) refuse(cause);
    this.#underWay.clear();
  }

  async #subscribe({ publisher, subscriber }: Connection): Promise<void> {
    subscriber.on("message", (channel: string, text: string) => {
      if (this.#observer.message(text, channel)) this.#heardAtMs = this.#environment.now();
    });
    await Promise.all([publisher.connect(), subscriber.connect()]);
    await subscriber.subscribe(...this.#options.channels);
    this.#heardAtMs = this.#environment.now();
  }
}

function dial(options: RedisLinkOptions, secrets: Awaited<ReturnType<RedisSecrets>>): Connection {
  const publisher = dialRedis(options, secrets);
  const subscriber = dialRedis(options, secrets);
  return { publisher, subscriber, ended: Promise.race([endOfClient(publisher), endOfClient(subscriber)]) };
}

async function rejected(cause: Promise<unknown>): Promise<never> {
  throw await cause;
}

function disconnect({ publisher, subscriber }: Connection): void {
  publisher.disconnect();
  subscriber.disconnect();
}
