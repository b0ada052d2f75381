import { randomBytes } from "node:crypto";
import type { Redis } from "ioredis";
import { addToRetryQueue, type Broker, cleanUp, resultListOf, type Taken } from "./broker.ts";
import { decodeMember, encodeMember, type QueuedRequest } from "./envelope.ts";
import { defaults, type QueueOptions, type TransportOptions } from "./options.ts";
import { encodeResult, type Result } from "./result.ts";

const claimScript = `
if redis.call('ZREM', KEYS[1], ARGV[2]) == 0 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[3], ARGV[1], ARGV[3])
redis.call('ZADD', KEYS[4], ARGV[4], ARGV[1])
return 1`;

const ackScript = `
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[3] then return 0 end
redis.call('LPUSH', KEYS[5], ARGV[2])
if tonumber(ARGV[4]) > 0 then redis.call('EXPIRE', KEYS[5], ARGV[4]) end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
if KEYS[6] then redis.call('DEL', KEYS[6]) end
return 1`;

const releaseScript = `
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[4] then return 0 end
redis.call('ZADD', KEYS[1], ARGV[3], ARGV[2])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
return 1`;

const renewScript = `
if redis.call('HGET', KEYS[3], ARGV[1]) ~= ARGV[3] then return 0 end
redis.call('ZADD', KEYS[4], ARGV[2], ARGV[1])
return 1`;

const reclaimScript = `
local expiry = redis.call('ZSCORE', KEYS[4], ARGV[1])
if not expiry or tonumber(expiry) > tonumber(ARGV[3]) then return 0 end
local member = redis.call('HGET', KEYS[2], ARGV[1])
if member then redis.call('ZADD', KEYS[1], ARGV[2], member) end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HDEL', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
return 1`;

/** A claim never outlives its request's deadline by more. */
const graceS = 300;
const reclaimBatch = 100;
const seqPeriod = 2_097_152;

interface Claim {
  readonly queue: QueueOptions;
  readonly owner: string;
  readonly deadline: number;
}

/** v0.10: a request is claimed under a lease; when its owner dies, it goes back. */
export class ClaimingBroker implements Broker {
  readonly tellsOfExpiry = true;
  readonly #redis: Redis;
  readonly #transport: TransportOptions;
  readonly #nowMs: () => number;
  readonly #claims = new Map<string, Claim>();
  readonly #timers: readonly NodeJS.Timeout[];

  constructor(redis: Redis, transport: TransportOptions, nowMs: () => number) {
    this.#redis = redis;
    this.#transport = transport;
    this.#nowMs = nowMs;
    const { claim_reclaim_interval_ms: reclaimMs = defaults.reclaimIntervalMs } = transport;
    const renewMs = (1_000 * this.#leaseS) / 3;
    this.#timers = [
      setInterval(() => void this.#reclaim().catch(() => undefined), reclaimMs),
      setInterval(() => void this.#renewAll().catch(() => undefined), renewMs),
    ];
  }

  async take(queue: QueueOptions, count: number, handle: (taken: Taken) => Promise<void>): Promise<void> {
    if (count < 1) return;
    const pairs = await this.#redis.zrange(queue.queue_name, 0, `${count - 1}`, "WITHSCORES");
    for (let i = 0; i + 1 < pairs.length; i += 2) await handle({ member: pairs[i] ?? "", score: Number(pairs[i + 1]) });
  }

  async destroy(queue: QueueOptions, { member }: Taken): Promise<void> {
    await this.#redis.zrem(queue.queue_name, member);
  }

  async claim(queue: QueueOptions, request: QueuedRequest, { member }: Taken): Promise<boolean> {
    const owner = randomBytes(8).toString("hex");
    const { deadline } = request;
    const claimed = await this.#run(claimScript, queue, [claimId(request), member, owner, this.#expiryS(deadline)]);
    if (claimed) this.#claims.set(claimId(request), { queue, owner, deadline });
    return claimed;
  }

  async refuse(queue: QueueOptions, request: QueuedRequest): Promise<void> {
    const { owner = "" } = this.#claims.get(claimId(request)) ?? {};
    await this.#run(releaseScript, queue, [claimId(request), encodeMember(request), scoreOf(request), owner]);
    this.#claims.delete(claimId(request));
  }

  async park(_queue: QueueOptions, request: QueuedRequest, dueS: number): Promise<void> {
    await this.#renew(claimId(request));
    await addToRetryQueue(this.#redis, this.#transport, request, dueS);
  }

  async finish(queue: QueueOptions, request: QueuedRequest, result: Result): Promise<void> {
    const id = claimId(request);
    const { owner = "" } = this.#claims.get(id) ?? {};
    const list = resultListOf(this.#transport, queue, request);
    const { payload_ref: ref } = request.internal;
    const args = [id, encodeResult(request, result, "v0.10"), owner, queue.result_ttl_seconds ?? 0];
    const isOwner = await this.#run(ackScript, queue, args, ref === undefined ? [list] : [list, ref]);
    this.#claims.delete(id);
    if (isOwner) await this.cleanUp(request);
  }

  cleanUp(request: QueuedRequest): Promise<void> {
    return cleanUp(this.#redis, request);
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
  }

  get #leaseS(): number {
    return this.#transport.claim_lease_ttl_seconds ?? defaults.leaseS;
  }

  #expiryS(deadline: number): number {
    const expiryS = Math.floor(this.#nowMs() / 1_000) + this.#leaseS;
    return deadline > 0 ? Math.min(expiryS, deadline + graceS) : expiryS;
  }

  async #run(script: string, queue: QueueOptions, args: (string | number)[], keys: string[] = []): Promise<boolean> {
    const { queue_name: name } = queue;
    const all = [name, `${name}:claimed`, `${name}:claim-owners`, `${name}:claims-idx`, ...keys];
    return (await this.#redis.eval(script, all.length, ...all, ...args)) === 1;
  }

  async #renew(id: string): Promise<void> {
    const claim = this.#claims.get(id);
    if (claim === undefined) return;
    const isOwner = await this.#run(renewScript, claim.queue, [id, this.#expiryS(claim.deadline), claim.owner]);
    if (!isOwner) this.#claims.delete(id);
  }

  async #renewAll(): Promise<void> {
    for (const id of this.#claims.keys()) await this.#renew(id);
  }

  async #reclaim(): Promise<void> {
    const nowS = Math.floor(this.#nowMs() / 1_000);
    for (const queue of this.#transport.queues) {
      const { queue_name: name } = queue;
      const ids = await this.#redis.zrangebyscore(`${name}:claims-idx`, "-inf", nowS, "LIMIT", 0, reclaimBatch);
      for (const id of ids) {
        const member = await this.#redis.hget(`${name}:claimed`, id);
        const score = member === null ? 0 : scoreOf(decodeMember(member, "v0.10"));
        await this.#run(reclaimScript, queue, [id, score, nowS]);
      }
    }
  }
}

/** Field of a submission in the claims' hashes. */
function claimId({ id, internal }: QueuedRequest): string {
  const { request_token: token = "" } = internal;
  return token === "" ? id : `${id}\0${token}`;
}

/** Requests of one deadline stay in the order of their submission. */
function scoreOf({ deadline, internal }: QueuedRequest): number {
  return deadline + Math.min(internal.enqueue_seq ?? 0, seqPeriod - 1) / seqPeriod;
}
