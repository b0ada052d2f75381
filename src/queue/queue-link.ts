import type { Redis } from "ioredis";
import {
  type ConnectionMaker,
  dialRedis,
  endOfClient,
  type RedisPlace,
  type RedisSecrets,
  unlessAborted,
} from "../redis/index.ts";
import type { QueueEnvironment } from "./queue-environment.ts";
import { blockSeconds } from "./result-reader.ts";
import { defineScripts } from "./scripts.ts";
import { silenceOf } from "./silence.ts";

/** Why a server that answers cannot be used. */
export class UnsupportedRedisError extends Error {
  override readonly name = "UnsupportedRedisError";
}

/** One connection for commands and, where results come by one list, one that waits for them. */
export interface QueueConnection {
  readonly commands: Redis;
  /** Undefined where each request has a list of its own. */
  readonly reader: Redis | undefined;
  /** Says that the connection is no good, though it stands. */
  fail(cause: unknown): void;
  readonly ended: Promise<unknown>;
}

/** Makes connections to the queue's Redis. */
export class QueueLink implements ConnectionMaker<QueueConnection> {
  readonly #place: RedisPlace;
  readonly #secrets: RedisSecrets;
  readonly #hasReader: boolean;
  readonly #environment: Pick<QueueEnvironment, "after">;
  /** The reader of the connection before: it may still wait at the server, and would take results to nowhere. */
  #lastReader: { readonly id: number; readonly runId: string | undefined } | undefined;

  constructor(
    place: RedisPlace,
    secrets: RedisSecrets,
    hasReader: boolean,
    environment: Pick<QueueEnvironment, "after">,
  ) {
    this.#place = place;
    this.#secrets = secrets;
    this.#hasReader = hasReader;
    this.#environment = environment;
  }

  /** Rejects with UnsupportedRedisError where the server is of a kind that the queue does not work on. */
  async open(signal: AbortSignal): Promise<QueueConnection> {
    const secrets = await this.#secrets();
    const { timeoutMs } = this.#place;
    const commands = dialRedis(this.#place, secrets);
    const reader = this.#hasReader ? dialRedis(this.#place, secrets) : undefined;
    let fail: (cause: unknown) => void = () => undefined;
    const failed = new Promise<unknown>((resolve) => {
      fail = resolve;
    });
    const ends = [commands, ...(reader === undefined ? [] : [reader])].map(endOfClient);
    const connection = { commands, reader, fail, ended: Promise.race([failed, ...ends]) };
    try {
      const deadline = AbortSignal.timeout(timeoutMs);
      const ready = unlessAborted(this.#prepare(connection), deadline);
      await unlessAborted(Promise.race([ready, rejected(connection.ended)]), signal);
    } catch (cause) {
      disconnect(connection);
      throw cause;
    }
    return connection;
  }

  async untilLost({ ended, commands, reader }: QueueConnection, signal: AbortSignal): Promise<unknown> {
    const over = new AbortController();
    const end = AbortSignal.any([signal, over.signal]);
    const { timeoutMs } = this.#place;
    const readerMs = timeoutMs + 1_000 * blockSeconds;
    const silences = [silenceOf(commands, timeoutMs, this.#environment, end)];
    if (reader !== undefined) silences.push(silenceOf(reader, readerMs, this.#environment, end));
    try {
      return await Promise.race([ended, ...silences]);
    } finally {
      over.abort();
    }
  }

  drop(connection: QueueConnection): void {
    disconnect(connection);
  }

  async #prepare({ commands, reader }: QueueConnection): Promise<void> {
    await Promise.all([commands.connect(), reader?.connect()]);
    // Users that may not ask are believed.
    const info = await commands.info().catch(() => "");
    assertSupported(info);
    defineScripts(commands);
    if (reader === undefined) return;
    const last = this.#lastReader;
    const runId = /^run_id:(\w+)/m.exec(info)?.[1];
    this.#lastReader = { id: Number(await reader.client("ID")), runId };
    // A server that was restarted counts its clients anew: the number is somebody else's there.
    if (last === undefined || runId === undefined || last.runId !== runId) return;
    // Not allowed to some users: the server's own timeout ends the wait then.
    await commands.call("CLIENT", "KILL", "ID", last.id).catch(() => undefined);
  }
}

function assertSupported(info: string): void {
  // Valkey names it after the server.
  if (/^(?:redis|server)_mode:cluster\r?$/m.test(info)) {
    throw new UnsupportedRedisError(
      "this is a Redis Cluster: the queue's keys do not hash to one slot, so that only a single server or Sentinel will do",
    );
  }
  if (/^role:slave\r?$/m.test(info)) {
    throw new UnsupportedRedisError("this Redis server is a replica, to which nothing can be written");
  }
}

async function rejected(cause: Promise<unknown>): Promise<never> {
  throw await cause;
}

function disconnect({ commands, reader }: QueueConnection): void {
  commands.disconnect();
  reader?.disconnect();
}

/** Whether an error says that this server will not do any more, whatever it is asked next. */
export function endsConnection(error: unknown): boolean {
  const message = error instanceof Error ? error.message : "";
  return /^(READONLY|MASTERDOWN|UNBLOCKED|NOAUTH)\b/.test(message);
}
