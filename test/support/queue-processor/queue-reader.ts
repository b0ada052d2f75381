import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import { type Broker, isCancelled, type Taken } from "./broker.ts";
import { DecodeError, decodeMember, type QueuedRequest } from "./envelope.ts";
import { type Gate, type Release, releaseAll, type Verdict } from "./gates/gate.ts";
import type { MergePolicy } from "./merge-policy.ts";
import { defaults, type ProcessorVersion, type QueueOptions, type TransportOptions } from "./options.ts";
import { cancelled, deadlineExceeded, failure, gateDropped } from "./result.ts";

/** What a reader of a queue uses. */
export interface ReaderPlace {
  readonly version: ProcessorVersion;
  readonly redis: Redis;
  readonly broker: Broker;
  readonly transport: TransportOptions;
  readonly gate: Gate;
  readonly policy: MergePolicy;
  nowMs(): number;
  /** Told of members that are gone without a word. */
  destroyed(member: string, reason: string): void;
}

/** Polls one queue, and brings what its gate lets through to the merge policy. */
export class QueueReader {
  readonly #queue: QueueOptions;
  readonly #place: ReaderPlace;

  constructor(queue: QueueOptions, place: ReaderPlace) {
    this.#queue = queue;
    this.#place = place;
  }

  /** Runs until the signal aborts. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { poll_interval_ms: pollMs = defaults.pollIntervalMs } = this.#place.transport;
    for (;;) {
      await delay(pollMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      // Redis that is away comes back.
      await this.#poll(signal).catch(() => undefined);
    }
  }

  async #poll(signal: AbortSignal): Promise<void> {
    const { broker, gate, transport } = this.#place;
    const { batch_size: batch = defaults.batchSize } = transport;
    const count = Math.floor(batch * (await gate.budget()));
    await broker.take(this.#queue, count, async (taken) => {
      if (!signal.aborted) await this.#handle(taken);
    });
  }

  async #handle(taken: Taken): Promise<void> {
    const { broker, version } = this.#place;
    let request: QueuedRequest;
    try {
      request = decodeMember(taken.member, version);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      await broker.destroy(this.#queue, taken);
      this.#place.destroyed(taken.member, error.message);
      return;
    }
    if (!(await broker.claim(this.#queue, request, taken))) return;
    const { queue_name: name, labels = {} } = this.#queue;
    const { internal } = request;
    internal.queue_id = name;
    internal.request_queue_name = name;
    if (Object.keys(labels).length > 0) internal.labels = { ...internal.labels, ...labels };
    if (request.deadline < Math.floor(this.#place.nowMs() / 1_000)) await this.#expired(request, taken);
    else if (await this.#isCancelled(request)) await broker.finish(this.#queue, request, cancelled);
    else await this.#admit(request, taken);
  }

  async #expired(request: QueuedRequest, { member }: Taken): Promise<void> {
    const { broker } = this.#place;
    if (broker.tellsOfExpiry) return broker.finish(this.#queue, request, deadlineExceeded);
    await broker.cleanUp(request);
    this.#place.destroyed(member, "deadline exceeded");
  }

  async #isCancelled(request: QueuedRequest): Promise<boolean> {
    return isCancelled(this.#place.redis, request).catch(() => false);
  }

  async #admit(read: QueuedRequest, taken: Taken): Promise<void> {
    const { broker, gate, policy } = this.#place;
    const request = await this.#withPayload(read);
    if (request === undefined) return;
    const releases: Release[] = [];
    const verdict = await gate.apply(request, releases).catch((): Verdict => ({ action: "refuse" }));
    if (verdict.action === "continue") return policy.push({ queue: this.#queue, request, releases });
    await releaseAll(releases);
    if (verdict.action === "drop") await broker.finish(this.#queue, request, verdict.result ?? gateDropped);
    else await broker.refuse(this.#queue, request, taken);
  }

  /** Fetches a payload that its sender put under a key of its own. */
  async #withPayload(request: QueuedRequest): Promise<QueuedRequest | undefined> {
    const { payload_ref: ref = "" } = request.internal;
    if (ref === "" || this.#place.version === "v0.9") return request;
    const payload = await this.#place.redis.get(ref);
    if (payload !== null) return { ...request, payload };
    await this.#place.broker.finish(this.#queue, request, failure("PAYLOAD_UNAVAILABLE", "payload unavailable"));
    return undefined;
  }
}
