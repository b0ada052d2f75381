/** Gauges read when the page is rendered. */
export interface EngineGauges {
  readonly running: number;
  readonly waiting: number;
  /** Share of the blocks that running requests hold, in [0, 1]. */
  readonly cacheUsage: number;
}

/** What `vllm:cache_config_info` says. */
export interface CacheConfigLabels {
  readonly blockSize: number;
  readonly gpuBlocks: number;
}

/** Upper bounds of vLLM's time-to-first-token buckets, in seconds. */
const firstTokenBuckets = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80, 160, 640, 2560,
];
/** Upper bounds of vLLM's request latency buckets, in seconds. */
const latencyBuckets = [0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680];

/** Counters of one simulated engine, rendered with the names and labels of vLLM's `/metrics`. */
export class EngineMetrics {
  readonly #labels: string;
  readonly #cacheConfig: CacheConfigLabels;
  readonly #firstToken = new Histogram(firstTokenBuckets);
  readonly #latency = new Histogram(latencyBuckets);
  readonly #finished = { length: 0, abort: 0 };
  #promptTokens = 0;
  #cachedTokens = 0;
  #generatedTokens = 0;

  /** @param modelName value of the `model_name` label */
  constructor(modelName: string, cacheConfig: CacheConfigLabels) {
    this.#labels = `engine="0",model_name="${escapeLabel(modelName)}"`;
    this.#cacheConfig = cacheConfig;
  }

  /** Prompt tokens of all admitted requests. */
  get promptTokens(): number {
    return this.#promptTokens;
  }

  /** Prompt tokens of all admitted requests that were cached. */
  get cachedTokens(): number {
    return this.#cachedTokens;
  }

  /** One request was admitted. */
  countPrompt(promptTokens: number, cachedTokens: number): void {
    this.#promptTokens += promptTokens;
    this.#cachedTokens += cachedTokens;
  }

  /** Output tokens were generated. */
  countGenerated(tokens: number): void {
    this.#generatedTokens += tokens;
  }

  /** A first token came `ms` after its request. */
  observeFirstToken(ms: number): void {
    this.#firstToken.observe(ms / 1000);
  }

  /** A request ended `ms` after it came, by itself or by its client. */
  countFinished(reason: "length" | "abort", ms: number): void {
    this.#finished[reason] += 1;
    this.#latency.observe(ms / 1000);
  }

  /** The page, in the Prometheus text format. */
  render(gauges: EngineGauges): string {
    const { blockSize, gpuBlocks } = this.#cacheConfig;
    const cacheLabels = `block_size="${blockSize}",cache_dtype="auto",enable_prefix_caching="True",engine="0",num_gpu_blocks="${gpuBlocks}"`;
    return [
      this.#sample("num_requests_running", "gauge", gauges.running),
      this.#sample("num_requests_waiting", "gauge", gauges.waiting),
      this.#sample("kv_cache_usage_perc", "gauge", gauges.cacheUsage),
      this.#sample("prefix_cache_queries", "counter", this.#promptTokens),
      this.#sample("prefix_cache_hits", "counter", this.#cachedTokens),
      this.#sample("prompt_tokens", "counter", this.#promptTokens),
      this.#sample("generation_tokens", "counter", this.#generatedTokens),
      "# TYPE vllm:request_success_total counter",
      ...Object.entries(this.#finished).map(
        ([reason, count]) => `vllm:request_success_total{${this.#labels},finished_reason="${reason}"} ${count}`,
      ),
      `# TYPE vllm:cache_config_info gauge\nvllm:cache_config_info{${cacheLabels}} 1.0`,
      this.#firstToken.render("vllm:time_to_first_token_seconds", this.#labels),
      this.#latency.render("vllm:e2e_request_latency_seconds", this.#labels),
      "",
    ].join("\n");
  }

  #sample(name: string, type: "gauge" | "counter", value: number): string {
    const full = `vllm:${name}${type === "counter" ? "_total" : ""}`;
    return `# TYPE ${full} ${type}\n${full}{${this.#labels}} ${value}`;
  }
}

class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  observe(value: number): void {
    this.#sum += value;
    this.#count += 1;
    const index = this.#bounds.findIndex((bound) => value <= bound);
    if (index >= 0) this.#counts[index] = (this.#counts[index] ?? 0) + 1;
  }

  render(name: string, labels: string): string {
    let cumulative = 0;
    const buckets = this.#bounds.map((bound, index) => {
      cumulative += this.#counts[index] ?? 0;
      return `${name}_bucket{${labels},le="${bound}"} ${cumulative}`;
    });
    return [
      `# TYPE ${name} histogram`,
      ...buckets,
      `${name}_bucket{${labels},le="+Inf"} ${this.#count}`,
      `${name}_count{${labels}} ${this.#count}`,
      `${name}_sum{${labels}} ${this.#sum}`,
    ].join("\n");
  }
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}
