import type { Redis } from "ioredis";
import { addToRetryQueue, type Broker, cleanUp, resultListOf, type Taken } from "./broker.ts";
import { encodeMember, type QueuedRequest } from "./envelope.ts";
import type { QueueOptions, TransportOptions } from "./options.ts";
import { encodeResult, type Result } from "./result.ts";

/** v0.9: a request that was popped is in this process only, and dies with it. */
export class PoppingBroker implements Broker {
  readonly tellsOfExpiry = false;
  readonly #redis: Redis;
  readonly #transport: TransportOptions;

  constructor(redis: Redis, transport: TransportOptions) {
    this.#redis = redis;
    this.#transport = transport;
  }

  async take(queue: QueueOptions, count: number, handle: (taken: Taken) => Promise<void>): Promise<void> {
    for (let i = 0; i < count; i++) {
      const [member, score] = await this.#redis.zpopmin(queue.queue_name, 1);
      if (member === undefined) return;
      await handle({ member, score: Number(score) });
    }
  }

  async destroy(): Promise<void> {}

  async claim(): Promise<boolean> {
    return true;
  }

  async refuse(queue: QueueOptions, request: QueuedRequest): Promise<void> {
    await this.#redis.zadd(queue.queue_name, request.deadline, encodeMember(request));
  }

  park(_queue: QueueOptions, request: QueuedRequest, dueS: number): Promise<void> {
    return addToRetryQueue(this.#redis, this.#transport, request, dueS);
  }

  async finish(queue: QueueOptions, request: QueuedRequest, result: Result): Promise<void> {
    await this.#redis.lpush(resultListOf(this.#transport, queue, request), encodeResult(request, result, "v0.9"));
    await this.cleanUp(request);
  }

  cleanUp(request: QueuedRequest): Promise<void> {
    return cleanUp(this.#redis, request);
  }

  async close(): Promise<void> {}
}
