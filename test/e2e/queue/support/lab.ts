import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { FakeWorker } from "../../../support/proxy/fake-worker.ts";
import {
  type ProcessorOptions,
  type ProcessorVersion,
  type QueueOptions,
  QueueProcessor,
  type TransportOptions,
} from "../../../support/queue-processor/index.ts";
import { type RedisKind, RedisServer } from "../../support/redis-server.ts";
import { until } from "../../support/until.ts";

/** What a test changes of a request. */
export interface Submission {
  readonly id?: string;
  readonly token?: string;
  /** From now, in s. Default 30. */
  readonly inS?: number;
  readonly list?: string;
  readonly queue?: string;
  /** Raw JSON. */
  readonly payload?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  readonly kind?: string;
}

/** What a test changes of the processor. */
export interface LabChanges extends Partial<Omit<ProcessorOptions, "transport">> {
  readonly queue?: Partial<QueueOptions>;
  readonly queues?: readonly QueueOptions[];
  readonly transport?: Partial<TransportOptions>;
}

/** A real Redis, a gateway that records, and a processor between them. */
export class Lab {
  readonly server: RedisServer;
  readonly redis: Redis;
  readonly gateway: FakeWorker;
  readonly #closing: (() => Promise<unknown>)[] = [];

  private constructor(server: RedisServer, gateway: FakeWorker, password?: string) {
    this.server = server;
    this.gateway = gateway;
    this.redis = new Redis(server.url, { retryStrategy: () => 50, ...(password === undefined ? {} : { password }) });
    this.redis.on("error", () => undefined);
  }

  /** @param args more of the server's own options @param password that it asks for then */
  static async start(kind: RedisKind, args: readonly string[] = [], password?: string): Promise<Lab> {
    const server = await RedisServer.start(kind, args);
    return new Lab(server, await FakeWorker.start(), password);
  }

  get gatewayUrl(): string {
    return `http://${this.gateway.endpoint}`;
  }

  options(version: ProcessorVersion, changes: LabChanges = {}): ProcessorOptions {
    const { queue = {}, queues, transport = {}, ...rest } = changes;
    const only = { queue_name: "request-sortedset", igw_base_url: this.gatewayUrl, ...queue };
    return {
      version,
      concurrency: 8,
      backoffBaseS: 0.05,
      transport: { url: this.server.url, poll_interval_ms: 5, queues: queues ?? [only], ...transport },
      ...rest,
    };
  }

  process(version: ProcessorVersion, changes: LabChanges = {}): QueueProcessor {
    const processor = new QueueProcessor(this.options(version, changes));
    this.#closing.push(() => processor.drain());
    return processor;
  }

  /** Writes a request as the Go producer of v0.9 does. Returns its token. */
  async submit(submission: Submission = {}): Promise<string> {
    const { id = "p1", token = randomBytes(16).toString("hex"), inS = 30 } = submission;
    const deadline = Math.floor(Date.now() / 1_000) + inS;
    const active = `request-active:${id}`;
    const queue = submission.queue ?? "request-sortedset";
    await this.redis
      .multi()
      .del(`request-cancel:${id}`)
      .set(active, token, "PX", Math.max(1, inS * 1_000))
      .zadd(queue, deadline, this.member(deadline, { ...submission, id, token }))
      .exec();
    return token;
  }

  member(deadline: number, submission: Submission & { readonly id: string; readonly token: string }): string {
    const { id, token, list = "resp:p1", payload = '{"model":"m"}', data = {}, kind = "redis" } = submission;
    const internal = { request_token: token, request_queue_name: "request-sortedset", result_queue_name: list };
    const fields = { id, created: deadline - 30, deadline, payload: "PAYLOAD", ...data };
    const text = JSON.stringify({ internal, request_kind: kind, data: fields });
    return text.replace('"PAYLOAD"', () => payload);
  }

  /** As `CancelRequests`: marks the submission that is active now. */
  async cancel(id = "p1"): Promise<boolean> {
    const token = await this.redis.get(`request-active:${id}`);
    if (token !== null) await this.redis.set(`request-cancel:${id}`, token, "EX", 604_800);
    return token !== null;
  }

  /** The next result of a list, as its bytes. */
  async result(list = "resp:p1"): Promise<string> {
    return await until(async () => (await this.redis.rpop(list)) ?? undefined, { what: `a result on ${list}` });
  }

  async keys(): Promise<readonly string[]> {
    return (await this.redis.keys("*")).sort();
  }

  /** The text of the i-th request that the gateway got. */
  async seen(i = 0): Promise<{ readonly target: string; readonly body: string; readonly headers: Headers }> {
    const request = await until(() => this.gateway.seen[i], { what: `request ${i} at the gateway` });
    const { target, body, rawHeaders } = request;
    const headers = new Headers();
    for (let at = 0; at + 1 < rawHeaders.length; at += 2)
      headers.append(rawHeaders[at] ?? "", rawHeaders[at + 1] ?? "");
    return { target, body: body.toString(), headers };
  }

  /** Empty again, for the next test. */
  async reset(): Promise<void> {
    for (const close of this.#closing.splice(0).reverse()) await close();
    await this.redis.flushall();
    this.gateway.seen.splice(0);
    this.gateway.answer((response) => {
      response.writeHead(200, { "content-type": "application/json" }).end('{"id":"chatcmpl-fake"}');
    });
  }

  async close(): Promise<void> {
    await this.reset();
    this.redis.disconnect();
    await this.gateway.close();
    await this.server.stop();
  }
}
