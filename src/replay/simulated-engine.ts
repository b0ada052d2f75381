import type { BlockCache } from "./block-cache.ts";
import type { SimulatedRequest } from "./simulated-request.ts";

/** An engine in figures: what one GPU worker does in a step. Round numbers of an 8B model on one H100. */
export interface EngineFigures {
  /** A step that decodes nothing, in ms. */
  readonly stepMs: number;
  /** What each running request adds to a step, in ms. */
  readonly msPerRequest: number;
  /** Prompt tokens that a step computes at most. */
  readonly chunkTokens: number;
  /** Time for a prompt token, in ms. */
  readonly msPerPrefillToken: number;
  /** Requests that run at once; more wait. */
  readonly maxRunning: number;
  /** Blocks that its cache holds. */
  readonly cacheBlocks: number;
  /** Tokens in a block. */
  readonly blockSize: number;
}

export const engineFigures: EngineFigures = {
  stepMs: 8,
  msPerRequest: 0.25,
  chunkTokens: 2_048,
  msPerPrefillToken: 0.05,
  maxRunning: 64,
  cacheBlocks: 8_192,
  blockSize: 16,
};

/** What becomes of a request on its engine. */
export interface ServedRequest {
  readonly request: SimulatedRequest;
  firstToken(): void;
  finished(cachedTokens: number): void;
}

interface Active extends ServedRequest {
  cachedTokens: number;
  /** Prompt tokens still to compute. */
  prefillTokens: number;
  /** Output tokens still to generate. */
  outputTokens: number;
}

/** One simulated worker: chunked prefill beside decoding, step by step, with a prefix cache. */
export class SimulatedEngine {
  readonly cache: BlockCache;
  readonly #figures: EngineFigures;
  readonly #waiting: Active[] = [];
  #running: Active[] = [];
  isStepping = false;

  constructor(figures: EngineFigures, cache: BlockCache) {
    this.#figures = figures;
    this.cache = cache;
  }

  /** Requests that wait or run. */
  get load(): number {
    return this.#waiting.length + this.#running.length;
  }

  add(served: ServedRequest): void {
    const { request } = served;
    this.#waiting.push({
      request,
      firstToken: () => served.firstToken(),
      finished: (cachedTokens) => served.finished(cachedTokens),
      cachedTokens: 0,
      prefillTokens: 0,
      outputTokens: request.outputTokens,
    });
  }

  /** Begins a step. @returns its length in ms and what happens at its end; undefined = nothing to do */
  step(): { readonly ms: number; end(): void } | undefined {
    this.#admit();
    if (this.#running.length === 0) return undefined;
    const { stepMs, msPerRequest, chunkTokens, msPerPrefillToken } = this.#figures;
    const decoding = this.#running.filter(({ prefillTokens }) => prefillTokens === 0);
    let left = chunkTokens;
    for (const active of this.#running) {
      const tokens = Math.min(left, active.prefillTokens);
      active.prefillTokens -= tokens;
      left -= tokens;
    }
    const ms = stepMs + msPerRequest * decoding.length + msPerPrefillToken * (chunkTokens - left);
    return { ms, end: () => this.#end(decoding) };
  }

  #admit(): void {
    while (this.#running.length < this.#figures.maxRunning) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      const { hashes, promptTokens } = next.request;
      next.cachedTokens = Math.min(promptTokens - 1, this.#figures.blockSize * this.cache.matched(hashes));
      next.prefillTokens = promptTokens - next.cachedTokens;
      this.#running.push(next);
    }
  }

  #end(decoding: readonly Active[]): void {
    for (const active of this.#running) {
      if (active.prefillTokens > 0) continue;
      if (active.outputTokens === active.request.outputTokens && !decoding.includes(active)) {
        this.cache.store(active.request.hashes);
        active.firstToken();
      }
      active.outputTokens--;
    }
    const done = this.#running.filter(({ prefillTokens, outputTokens }) => prefillTokens === 0 && outputTokens <= 0);
    this.#running = this.#running.filter((active) => !done.includes(active));
    for (const active of done) active.finished(active.cachedTokens);
  }
}
