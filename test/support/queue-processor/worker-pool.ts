import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import { type Broker, isCancelled } from "./broker.ts";
import { type Gate, releaseAll, type Verdict } from "./gates/gate.ts";
import type { Answer, GatewayClient } from "./gateway-client.ts";
import type { Dispatched, MergePolicy } from "./merge-policy.ts";
import type { PoolOptions } from "./options.ts";
import { cancelled, deadlineExceeded, failure, gateDropped, type Result } from "./result.ts";

/** What the workers of a pool use. */
export interface PoolPlace {
  readonly redis: Redis;
  readonly broker: Broker;
  readonly policy: MergePolicy;
  readonly gate: Gate;
  readonly gateway: GatewayClient;
  readonly pool: PoolOptions;
  readonly workers: number;
  readonly requestTimeoutMs: number;
  readonly backoffBaseS: number;
  nowMs(): number;
  random(): number;
}

/** Between two questions to a gate that lets a request wait. */
const gateWaitMs = 50;
const cancelCheckMs = 1_000;
const longestBackoffS = 60;

/** Sends the requests of one pool, so many at once. */
export class WorkerPool {
  readonly #place: PoolPlace;
  /** No more requests are taken. */
  readonly #stop = new AbortController();
  /** Those under way are given up and parked. */
  readonly #giveUp = new AbortController();
  readonly #running: Promise<unknown>;

  constructor(place: PoolPlace) {
    this.#place = place;
    this.#running = Promise.all(Array.from({ length: place.workers }, () => this.#work()));
  }

  /** Takes no more requests, and waits so long for those under way. */
  async drain(timeoutMs: number): Promise<void> {
    this.#stop.abort();
    const timer = setTimeout(() => this.#giveUp.abort(), timeoutMs);
    await this.#running;
    clearTimeout(timer);
  }

  async #work(): Promise<void> {
    for (;;) {
      const dispatched = await this.#place.policy.take(this.#stop.signal);
      if (dispatched === undefined) return;
      // Without Redis nothing can be said of a request, and nobody can be told.
      await new Attempt(this.#place, dispatched, this.#giveUp.signal).run().catch(() => undefined);
    }
  }
}

/** A request in the hands of a worker. */
class Attempt {
  readonly #place: PoolPlace;
  readonly #dispatched: Dispatched;
  readonly #giveUp: AbortSignal;
  readonly #releases: Dispatched["releases"];
  #nextCheckMs = 0;

  constructor(place: PoolPlace, dispatched: Dispatched, giveUp: AbortSignal) {
    this.#place = place;
    this.#dispatched = dispatched;
    this.#giveUp = giveUp;
    this.#releases = dispatched.releases;
  }

  async run(): Promise<void> {
    try {
      await this.#process();
    } finally {
      await releaseAll(this.#releases);
    }
  }

  async #process(): Promise<void> {
    const { request } = this.#dispatched;
    if (await this.#isCancelled()) return;
    if (request.deadline <= 0) {
      await this.#finish(failure("INVALID_REQUEST", "Failed: deadline is missing or invalid (Unix seconds)."));
    } else if (this.#leftMs() < 0) await this.#finish(deadlineExceeded);
    else if ((await this.#passGate()) && !(await this.#isCancelled())) await this.#send();
  }

  /** Returns false when the gate has decided what becomes of the request. */
  async #passGate(): Promise<boolean> {
    for (;;) {
      if (await this.#isCancelled()) return false;
      let verdict: Verdict;
      try {
        verdict = await this.#place.gate.apply(this.#dispatched.request, this.#releases);
      } catch (error) {
        await this.#finish(failure("GATE_ERROR", `Pool gating error: ${(error as Error).message}`));
        return false;
      }
      if (verdict.action === "continue") return true;
      if (verdict.action === "drop") await this.#finish(verdict.result ?? gateDropped);
      else if (verdict.action === "refuse" || this.#giveUp.aborted) await this.#park(0);
      else if (this.#leftMs() <= 0) await this.#finish(deadlineExceeded);
      else {
        await delay(Math.min(gateWaitMs, this.#leftMs()));
        continue;
      }
      return false;
    }
  }

  async #send(): Promise<void> {
    const { gateway, pool, requestTimeoutMs } = this.#place;
    const timeoutMs = Math.max(0, Math.min(requestTimeoutMs, this.#leftMs()));
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#giveUp]);
    const answer = await gateway.post(this.#dispatched, pool, signal);
    if ("error" in answer) await this.#failed(answer);
    else if (answer.status === 429 || answer.status >= 500) await this.#retry(answer);
    else await this.#finish({ status: answer.status, payload: answer.body });
  }

  async #failed({ error, isTimeout }: Extract<Answer, { error: string }>): Promise<void> {
    if (isTimeout && this.#giveUp.aborted) await this.#park(0);
    else if (isTimeout && this.#place.broker.tellsOfExpiry) await this.#finish(deadlineExceeded);
    else await this.#finish(failure("INFERENCE_ERROR", `Failed to send request to inference: ${error}`));
  }

  async #retry({ status, body, retryAfterS = 0 }: Exclude<Answer, { error: string }>): Promise<void> {
    const { request } = this.#dispatched;
    const { backoffBaseS, random } = this.#place;
    const leftS = request.deadline - Math.floor(this.#place.nowMs() / 1_000);
    if (leftS <= 0) return this.#finish({ status, payload: body });
    const retries = (request.internal.retry_count ?? 0) + 1;
    const mostS = Math.min(longestBackoffS, leftS, backoffBaseS * 2 ** retries);
    const backoffS = mostS / 2 + (random() * mostS) / 2;
    request.internal.retry_count = retries;
    await this.#park(Math.max(backoffS, Math.min(retryAfterS, leftS / 2)));
  }

  /** Milliseconds to the deadline; below 0 once its second is over. */
  #leftMs(): number {
    return this.#dispatched.request.deadline * 1_000 - this.#place.nowMs();
  }

  /** Asks Redis once in a second; while it does not answer, the request waits in the retry queue. */
  async #isCancelled(): Promise<boolean> {
    const nowMs = this.#place.nowMs();
    if (nowMs < this.#nextCheckMs) return false;
    this.#nextCheckMs = nowMs + cancelCheckMs;
    const answer = await isCancelled(this.#place.redis, this.#dispatched.request).catch(() => undefined);
    if (answer === undefined) await this.#park(1);
    else if (answer) await this.#finish(cancelled);
    return answer !== false;
  }

  #finish(result: Result): Promise<void> {
    return this.#place.broker.finish(this.#dispatched.queue, this.#dispatched.request, result);
  }

  #park(backoffS: number): Promise<void> {
    const dueS = this.#place.nowMs() / 1_000 + backoffS;
    return this.#place.broker.park(this.#dispatched.queue, this.#dispatched.request, dueS);
  }
}
