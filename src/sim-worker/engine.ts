import { AdmissionQueue } from "./admission-queue.ts";
import type { Allocation, BlockCache } from "./block-cache.ts";
import type { EngineMetrics } from "./engine-metrics.ts";
import { PrefillLane } from "./prefill-lane.ts";
import type { SimClock } from "./sim-clock.ts";

/** How long the simulated steps take; all zero makes an engine that answers at once. */
export interface EngineTiming {
  /** Requests that run at the same time; the others wait. */
  readonly maxNumSeqs: number;
  /** Part of the time to first token that does not depend on the prompt, in ms. */
  readonly ttftBaseMs: number;
  /** Prefill time of one token that is not cached, in microseconds. */
  readonly prefillTimePerTokenUs: number;
  /** Time between two output tokens, in ms. */
  readonly interTokenMs: number;
  /** `serial`: one prefill at a time. `parallel`: each request prefills as if alone. */
  readonly prefillMode: "serial" | "parallel";
  /** Times are this many times longer with `maxNumSeqs` running than with one, linearly between. 1 = no influence. */
  readonly loadFactor: number;
}

/** One prompt to generate from. */
export interface SequenceRequest {
  readonly tokenIds: Uint32Array;
  readonly outputTokens: number;
  readonly namespace: string;
  /** True to hear of each token when it is generated; false to hear of the first and the last. */
  readonly everyToken: boolean;
}

/** Progress of one sequence. */
export interface SequenceStep {
  readonly cachedTokens: number;
  /** Output tokens so far. */
  readonly generatedTokens: number;
}

/** The scheduler and the pretended GPU: admits, prefills, decodes, and gives the blocks back whatever happens. */
export class SimEngine {
  readonly cache: BlockCache;
  readonly #admission: AdmissionQueue;
  readonly #lane: PrefillLane;
  readonly #clock: SimClock;
  readonly #timing: EngineTiming;
  readonly #metrics: EngineMetrics;

  constructor(cache: BlockCache, timing: EngineTiming, clock: SimClock, metrics: EngineMetrics) {
    this.cache = cache;
    this.#timing = timing;
    this.#clock = clock;
    this.#metrics = metrics;
    this.#admission = new AdmissionQueue(cache, timing.maxNumSeqs);
    this.#lane = new PrefillLane(clock);
  }

  /** Requests being prefilled or decoded. */
  get running(): number {
    return this.#admission.running;
  }

  /** Requests not admitted yet. */
  get waiting(): number {
    return this.#admission.waiting;
  }

  /**
   * Runs one sequence: a first step when its first token is there, then as `everyToken` says. Rejects with the
   * signal's reason on abort. Ending the iteration early also frees the blocks.
   */
  async *generate(request: SequenceRequest, signal: AbortSignal): AsyncGenerator<SequenceStep, void> {
    const arrivedAtMs = this.#clock.now();
    const prompt = this.cache.identify(request.tokenIds, request.namespace);
    const allocation = await this.#admission.enter(prompt, request.outputTokens, signal);
    let finish: "length" | "abort" = "abort";
    try {
      this.#metrics.countPrompt(request.tokenIds.length, allocation.cachedTokens);
      await this.#prefill(request, allocation, signal);
      this.#metrics.observeFirstToken(this.#clock.now() - arrivedAtMs);
      yield* this.#decode(request, allocation.cachedTokens, signal);
      finish = "length";
    } finally {
      allocation.release();
      this.#metrics.countFinished(finish, this.#clock.now() - arrivedAtMs);
    }
  }

  async #prefill(request: SequenceRequest, allocation: Allocation, signal: AbortSignal): Promise<void> {
    const { ttftBaseMs, prefillTimePerTokenUs, prefillMode } = this.#timing;
    // A prompt that no real engine could take is charged like one that fills the cache.
    const tokens = Math.min(request.tokenIds.length - allocation.cachedTokens, this.cache.capacityTokens);
    const computeMs = (tokens * prefillTimePerTokenUs * this.#slowdown()) / 1000;
    if (prefillMode === "parallel") {
      await this.#clock.sleepUntil(this.#clock.now() + ttftBaseMs + computeMs, signal);
      return;
    }
    await this.#lane.run(computeMs, signal);
    await this.#clock.sleepUntil(this.#clock.now() + ttftBaseMs, signal);
  }

  async *#decode(request: SequenceRequest, cachedTokens: number, signal: AbortSignal): AsyncGenerator<SequenceStep> {
    const interTokenMs = this.#timing.interTokenMs * this.#slowdown();
    const firstAtMs = this.#clock.now();
    let generatedTokens = Math.min(1, request.outputTokens);
    this.#metrics.countGenerated(generatedTokens);
    yield { cachedTokens, generatedTokens };
    while (generatedTokens < request.outputTokens) {
      const wanted = request.everyToken && interTokenMs > 0 ? generatedTokens + 1 : request.outputTokens;
      await this.#clock.sleepUntil(firstAtMs + (wanted - 1) * interTokenMs, signal);
      this.#metrics.countGenerated(wanted - generatedTokens);
      generatedTokens = wanted;
      yield { cachedTokens, generatedTokens };
    }
  }

  #slowdown(): number {
    const { loadFactor, maxNumSeqs } = this.#timing;
    if (maxNumSeqs <= 1) return 1;
    return 1 + ((loadFactor - 1) * (this.running - 1)) / (maxNumSeqs - 1);
  }
}
