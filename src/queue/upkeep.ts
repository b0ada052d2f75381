import type { Redis } from "ioredis";
import type { QueueEnvironment } from "./queue-environment.ts";
import { endsConnection, type QueueConnection } from "./queue-link.ts";
import type { QueueObserver, ResolvedQueueOptions } from "./queue-options.ts";
import { keepUp } from "./scripts.ts";
import { instanceList, type Submission } from "./submission.ts";

/** Most queues whose length is looked at. */
const maxQueues = 1_024;
/** Most lists that are remembered to be removed again; what is forgotten goes with the instance. */
const maxLeftLists = 65_536;

type UpkeepOptions = Pick<
  ResolvedQueueOptions,
  "resultPrefix" | "heartbeatMs" | "instanceSilentMs" | "lateResultMs"
> & {
  readonly instance: string;
};

/** A list of one request that a result may still come to. */
interface LeftList {
  readonly list: string;
  readonly untilMs: number;
}

/** What has to be done now and then: to say that this instance lives, to remove what others left, to look how long the queues are. */
export class Upkeep {
  readonly #options: UpkeepOptions;
  readonly #observer: QueueObserver;
  readonly #environment: QueueEnvironment;
  readonly #depths = new Map<string, number>();
  /** In the order in which they are removed, nearly. */
  #left: LeftList[] = [];
  #connection: QueueConnection | undefined;
  #cancel: () => void = () => undefined;

  constructor(options: UpkeepOptions, observer: QueueObserver, environment: QueueEnvironment) {
    this.#options = options;
    this.#observer = observer;
    this.#environment = environment;
  }

  depthOf(queue: string): number | undefined {
    return this.#depths.get(queue);
  }

  /** Looks at the length of a queue from here on. @returns what it was last; 0 = not known */
  watch(queue: string): number {
    const depth = this.#depths.get(queue);
    if (depth === undefined && this.#depths.size < maxQueues) this.#depths.set(queue, 0);
    return depth ?? 0;
  }

  connected(connection: QueueConnection): void {
    this.#connection = connection;
    this.#beatOn(connection);
  }

  lost(): void {
    this.#connection = undefined;
    this.#cancel();
  }

  /** Remembers in Redis that a list of one request may come to be, for whoever has to remove what this instance leaves. */
  register(client: Redis, { resultList, deadline }: Submission): Promise<unknown> {
    return client.zadd(this.#registry(), deadline, resultList);
  }

  /** Nobody reads the list of a request any more. @param isEmpty it will stay empty: its one result was read */
  listDone({ resultList, deadline }: Submission, isEmpty: boolean, connection: QueueConnection | undefined): void {
    if (isEmpty && connection !== undefined) {
      connection.commands.zrem(this.#registry(), resultList).catch(() => undefined);
      return;
    }
    const untilMs = deadline * 1_000 + this.#options.lateResultMs;
    if (this.#left.length < maxLeftLists) this.#left.push({ list: resultList, untilMs });
    connection?.commands.unlink(resultList).catch(() => undefined);
  }

  /** Removes the list of this instance. Results may come later and make it anew, so that others still have to know of it. */
  async close(connection: QueueConnection | undefined): Promise<void> {
    this.lost();
    const { resultPrefix, instance } = this.#options;
    const lists = [instanceList(resultPrefix, instance), ...this.#left.map(({ list }) => list)];
    await connection?.commands.unlink(lists).catch(() => undefined);
  }

  #beatOn(connection: QueueConnection): void {
    this.#cancel();
    this.#beat(connection).catch((cause: unknown) => connection.fail(cause));
  }

  /** Rejects when the connection is no good. */
  async #beat(connection: QueueConnection): Promise<void> {
    const { resultPrefix, instance, instanceSilentMs, heartbeatMs } = this.#options;
    const { commands } = connection;
    try {
      const removed = await keepUp(commands, `${resultPrefix}instances`, instance, instanceSilentMs, resultPrefix);
      if (removed.length > 0) this.#observer.removed(removed);
      for (const queue of this.#depths.keys()) this.#depths.set(queue, await commands.zcard(queue));
      await this.#removeLeft(commands);
    } catch (cause) {
      this.#observer.failed("upkeep", cause);
      if (endsConnection(cause)) throw cause;
    }
    if (this.#connection !== connection) return;
    this.#cancel = this.#environment.after(heartbeatMs, () => this.#beatOn(connection));
  }

  async #removeLeft(client: Redis): Promise<void> {
    const nowMs = this.#environment.wallMs();
    const due = this.#left.filter(({ untilMs }) => untilMs <= nowMs).map(({ list }) => list);
    if (due.length === 0) return;
    this.#left = this.#left.filter(({ untilMs }) => untilMs > nowMs);
    await client.unlink(due);
    await client.zrem(this.#registry(), ...due);
  }

  #registry(): string {
    const { resultPrefix, instance } = this.#options;
    return `${instanceList(resultPrefix, instance)}:lists`;
  }
}
