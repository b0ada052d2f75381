import { randomUUID } from "node:crypto";
import type { Redis } from "ioredis";
import type { QueuedRequest } from "../envelope.ts";
import type { GateParams } from "../options.ts";
import { type Gate, goOn, type Release, refuse, type Verdict } from "./gate.ts";

/** A share of the batch that an operator writes to a key. */
export function budgetGate(redis: Redis, params: GateParams): Gate {
  const key = String(params["budget_key"] ?? "dispatch-gate-budget");
  const budget = async () => {
    const text = await redis.get(key).catch(() => "0");
    if (text === null) return 1;
    const share = Number(text);
    return text.trim() === "" || Number.isNaN(share) ? 1 : Math.min(1, Math.max(0, share));
  };
  return { budget, apply: async () => ((await budget()) > 0 ? goOn : refuse) };
}

const acquireScript = `
local held = redis.call('INCR', KEYS[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
if held <= tonumber(ARGV[1]) then return 1 end
redis.call('DECR', KEYS[1])
return 0`;

const releaseScript = `
local held = redis.call('DECR', KEYS[1])
if held <= 0 then redis.call('DEL', KEYS[1]) else redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return held`;

const countScript = `
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
return 1`;

/** Refreshed whenever the count of requests under way changes. */
const concurrencyTtlS = 300;

/** So many at once, or in a window, for each value of a metadata attribute; too many are refused, or only marked. */
export class QuotaGate implements Gate {
  readonly #redis: Redis;
  readonly #attribute: string;
  readonly #isConcurrency: boolean;
  readonly #isClassifying: boolean;
  readonly #limit: number;
  readonly #windowMs: number;
  readonly #prefix: string;
  readonly #nowMs: () => number;

  constructor(redis: Redis, params: GateParams, nowMs: () => number) {
    this.#redis = redis;
    this.#attribute = String(params["attribute"] ?? "userid");
    this.#isConcurrency = params["mode"] === "concurrency";
    this.#isClassifying = params["gating_mode"] === "classifying";
    this.#limit = Number(params["limit"]);
    this.#windowMs = windowMsOf(String(params["window"] ?? "1m"));
    this.#prefix = String(params["prefix"] ?? "quota:");
    this.#nowMs = nowMs;
  }

  async budget(): Promise<number> {
    return 1;
  }

  async apply(request: QueuedRequest, releases: Release[]): Promise<Verdict> {
    const value = request.metadata[this.#attribute];
    if (value === undefined || value === "") return goOn;
    const isWithin = await this.#acquire(`${this.#prefix}${this.#attribute}:${value}`, releases);
    if (!this.#isClassifying) return isWithin ? goOn : refuse;
    request.classification = isWithin ? "reserved" : "overflow";
    return goOn;
  }

  async #acquire(key: string, releases: Release[]): Promise<boolean> {
    if (!this.#isConcurrency) {
      const nowNs = this.#nowMs() * 1e6;
      const args = [nowNs, this.#windowMs * 1e6, this.#limit, `${nowNs}-${randomUUID()}`, Math.ceil(this.#windowMs)];
      return (await this.#redis.eval(countScript, 1, key, ...args)) === 1;
    }
    if ((await this.#redis.eval(acquireScript, 1, key, this.#limit, concurrencyTtlS)) !== 1) return false;
    releases.push(async () => {
      await this.#redis.eval(releaseScript, 1, key, concurrencyTtlS);
    });
    return true;
  }
}

/** A Go duration of one unit. */
function windowMsOf(text: string): number {
  const [, count = "", unit = ""] = /^([\d.]+)(ms|s|m|h)$/.exec(text) ?? [];
  const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }[unit];
  if (unitMs === undefined) throw new RangeError(`window must be a duration like 30s, got ${text}`);
  return Number(count) * unitMs;
}
