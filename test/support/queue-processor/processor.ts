import { Redis } from "ioredis";
import type { Broker } from "./broker.ts";
import { ClaimingBroker } from "./claiming-broker.ts";
import { GateConnections, makeGate } from "./gates/make-gate.ts";
import { GatewayClient } from "./gateway-client.ts";
import { type MergePolicy, randomRobin, tierPriority } from "./merge-policy.ts";
import { defaults, type PoolOptions, type ProcessorOptions, type TransportOptions } from "./options.ts";
import { PoppingBroker } from "./popping-broker.ts";
import { QueueReader } from "./queue-reader.ts";
import { moveRetries } from "./retry-mover.ts";
import { WorkerPool } from "./worker-pool.ts";

/** A member that the processor threw away without telling anybody. */
export interface Destroyed {
  readonly member: string;
  readonly reason: string;
}

/**
 * A model of llm-d-async's processor over Redis sorted sets: it takes requests from queues, lets gates decide, sends them to the
 * gateway and pushes the results, with the bytes and the gaps of the real one. Runs from construction to `drain`.
 */
export class QueueProcessor {
  readonly destroyed: Destroyed[] = [];
  readonly #options: ProcessorOptions;
  readonly #redis: Redis;
  readonly #broker: Broker;
  readonly #gateway = new GatewayClient();
  readonly #gates: GateConnections;
  readonly #stop = new AbortController();
  readonly #stopMoving = new AbortController();
  readonly #pools: readonly WorkerPool[];
  readonly #reading: Promise<unknown>;
  readonly #moving: Promise<void>;

  constructor(options: ProcessorOptions) {
    this.#options = options;
    const { version, transport } = options;
    const nowMs = () => this.#nowMs();
    this.#redis = connectTo(transport);
    this.#gates = new GateConnections(this.#redis);
    this.#broker =
      version === "v0.9"
        ? new PoppingBroker(this.#redis, transport)
        : new ClaimingBroker(this.#redis, transport, nowMs);
    const policies = this.#policies();
    this.#pools = [...policies].map(([name, policy]) => this.#poolOf(name, policy));
    this.#reading = this.#read(policies);
    this.#moving = moveRetries(this.#redis, { version, transport, nowMs }, this.#stopMoving.signal);
  }

  /** As at SIGTERM: takes no more, waits for what is under way, and parks what takes longer. */
  async drain(): Promise<void> {
    const { drainTimeoutMs = defaults.drainTimeoutMs } = this.#options;
    this.#stop.abort();
    await Promise.all(this.#pools.map((pool) => pool.drain(drainTimeoutMs)));
    await this.#reading;
    this.#stopMoving.abort();
    await this.#moving;
    await this.#broker.close();
    this.#gates.close();
    await this.#gateway.close();
    this.#redis.disconnect();
  }

  #nowMs(): number {
    return Date.now() + (this.#options.clockSkewMs ?? 0);
  }

  #policies(): ReadonlyMap<string, MergePolicy> {
    const names = this.#options.transport.queues.map(({ worker_pool_id: name = defaults.pool }) => name);
    return new Map(names.map((name) => [name, policyOf(this.#poolOptions(name))]));
  }

  #poolOptions(name: string): PoolOptions {
    return this.#options.pools?.[name] ?? {};
  }

  #poolOf(name: string, policy: MergePolicy): WorkerPool {
    const pool = this.#poolOptions(name);
    const { concurrency = defaults.concurrency, requestTimeoutMs = defaults.requestTimeoutMs } = this.#options;
    return new WorkerPool({
      redis: this.#redis,
      broker: this.#broker,
      policy,
      gate: makeGate(pool, this.#gatePlace()),
      gateway: this.#gateway,
      pool,
      workers: pool.workers ?? concurrency,
      requestTimeoutMs,
      backoffBaseS: this.#options.backoffBaseS ?? defaults.backoffBaseS,
      nowMs: () => this.#nowMs(),
      random: Math.random,
    });
  }

  #gatePlace() {
    return { nowMs: () => this.#nowMs(), redisAt: (address: string | undefined) => this.#gates.at(address) };
  }

  async #read(policies: ReadonlyMap<string, MergePolicy>): Promise<void> {
    const { version, transport } = this.#options;
    const readers = transport.queues.map((queue) => {
      const policy = policies.get(queue.worker_pool_id ?? defaults.pool);
      if (policy === undefined) throw new RangeError(`no pool for ${queue.queue_name}`);
      const place = {
        version,
        redis: this.#redis,
        broker: this.#broker,
        transport,
        gate: makeGate(queue, this.#gatePlace()),
        policy,
        nowMs: () => this.#nowMs(),
        destroyed: (member: string, reason: string) => this.destroyed.push({ member, reason }),
      };
      return new QueueReader(queue, place).run(this.#stop.signal);
    });
    await Promise.all(readers);
  }
}

function policyOf({ merge_policy: policy, tier_label: tierLabel = "tier" }: PoolOptions): MergePolicy {
  return policy === "tier-priority" ? tierPriority(tierLabel) : randomRobin(Math.random);
}

function connectTo({ url, mode, addrs = [], master_name: name, ca }: TransportOptions): Redis {
  const options = { retryStrategy: () => 50, ...(ca === undefined ? {} : { tls: { ca } }) };
  const redis =
    mode === "sentinel"
      ? new Redis({ ...options, name: name ?? "", sentinels: addrs.map(sentinelOf), sentinelRetryStrategy: () => 50 })
      : new Redis(url ?? "", options);
  // Said by the commands that fail.
  redis.on("error", () => undefined);
  return redis;
}

function sentinelOf(address: string): { host: string; port: number } {
  const [host = "", port = ""] = address.split(":");
  return { host, port: Number(port) };
}
