import { collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type ConsoleMetrics, registerConsoleMetrics } from "./console-metrics.ts";
import { DecisionMetrics } from "./decision-metrics.ts";
import { HttpMetrics } from "./http-metrics.ts";
import { LlmdMetrics, type LlmdOptions } from "./llmd-metrics.ts";
import { registerLlmdPoolMetrics } from "./llmd-pool-metrics.ts";
import { PromptMetrics, type PromptSample } from "./prompt-metrics.ts";
import { ProxyMetrics } from "./proxy-metrics.ts";
import { QueueMetrics } from "./queue-metrics.ts";
import { type RecorderSample, registerRecorderMetrics } from "./recorder-metrics.ts";
import { type RecoverySource, registerRecoveryMetrics } from "./recovery-metrics.ts";
import { RefusalLog } from "./refusal-log.ts";
import { type ReplicaSource, registerReplicaMetrics } from "./replica-metrics.ts";
import { RequestMetrics } from "./request-metrics.ts";
import { registerSampledMetrics, type SampleSource } from "./sampled-metrics.ts";
import { registerShardMetrics, type ShardSample } from "./shard-metrics.ts";
import { registerTraceMetrics } from "./trace-metrics.ts";
import type { SpanCounts } from "./tracing/span-queue.ts";

/** What the metrics need to know before the first request. */
export interface MetricsOptions {
  /** Names of the configured models. */
  readonly models: readonly string[];
  readonly version: string;
  /** The names of llm-d that are served beside ours; absent = none. */
  readonly llmd?: LlmdSetup | undefined;
  /** Absent = one of the default size. */
  readonly refusals?: RefusalLog;
}

/** Which of llm-d's names are served, and for whom. */
export interface LlmdSetup extends Omit<LlmdOptions, "models"> {
  /** The pool's name. */
  readonly pool: string;
}

/** One metric, as documented. */
export interface MetricDescription {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** All metrics of one picker, in a registry of its own. */
export class Metrics {
  readonly requests: RequestMetrics;
  /** Of all surfaces. */
  readonly refusals: RefusalLog;
  readonly prompts: PromptMetrics;
  readonly http: HttpMetrics;
  readonly proxy: ProxyMetrics;
  readonly queue: QueueMetrics;
  /** Undefined unless llm-d's names are served. */
  readonly llmd: LlmdMetrics | undefined;
  readonly #llmdSetup: LlmdSetup | undefined;
  readonly decisions: DecisionMetrics;
  readonly #registry = new Registry();

  constructor({ models, version, llmd, refusals = new RefusalLog({}, Date.now) }: MetricsOptions) {
    this.refusals = refusals;
    this.requests = new RequestMetrics(this.#registry, models, refusals);
    this.prompts = new PromptMetrics(this.#registry);
    this.http = new HttpMetrics(this.#registry);
    this.proxy = new ProxyMetrics(this.#registry);
    this.queue = new QueueMetrics(this.#registry);
    this.#llmdSetup = llmd;
    this.llmd = llmd && new LlmdMetrics(this.#registry, { ...llmd, models });
    this.decisions = new DecisionMetrics(this.#registry);
    const build = new Gauge({
      name: "pointsman_build_info",
      help: "Always 1; the label tells the version.",
      labelNames: ["version"] as const,
      registers: [this.#registry],
    });
    build.set({ version }, 1);
  }

  /** Reads loads, KV events and indexes from `source` at each scrape. Call it once. */
  sample(source: SampleSource): void {
    registerSampledMetrics(this.#registry, source);
    const llmd = this.#llmdSetup;
    if (llmd !== undefined) registerLlmdPoolMetrics(this.#registry, llmd, () => source.ranks());
  }

  /** Reads the state of the prompt threads from `source` at each scrape. Call it once. */
  samplePrompts(source: PromptSample): void {
    this.prompts.sample(source);
  }

  /** Reads what is known of other replicas from `source` at each scrape. Call it once, where load is shared. */
  sampleReplicas(source: ReplicaSource): void {
    registerReplicaMetrics(this.#registry, source);
  }

  /** Counts what happens at the console, and reads its number of readers at each scrape. Call it once, where there is one. */
  sampleConsole(readers: () => number): ConsoleMetrics {
    return registerConsoleMetrics(this.#registry, readers);
  }

  /** Reads how much of the traffic is recorded at each scrape. Call it once, where it is. */
  sampleRecorder(sample: RecorderSample): void {
    registerRecorderMetrics(this.#registry, sample);
  }

  /** Reads how the index was fetched from a peer from `source` at each scrape. Call it once, where there are peers. */
  sampleRecovery(source: RecoverySource): void {
    registerRecoveryMetrics(this.#registry, source);
  }

  /** Reads what became of spans from `counts` at each scrape. Call it once, where traces are made. */
  sampleTraces(counts: () => SpanCounts): void {
    registerTraceMetrics(this.#registry, counts);
  }

  /** Reads the state of shards from `source` at each scrape. Call it once, where there are shards. */
  sampleShards(source: () => Iterable<ShardSample>): void {
    registerShardMetrics(this.#registry, source);
  }

  /** Adds what Node tells of itself: CPU, memory, garbage collection, event-loop lag. Call it once in a process. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** The Prometheus text exposition of this moment. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }

  /** The content type of that text. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Every metric that is registered, by name. */
  async describe(): Promise<readonly MetricDescription[]> {
    const metrics = await this.#registry.getMetricsAsArray();
    return metrics
      .map((metric) => ({
        name: metric.name,
        type: String(metric.type),
        help: metric.help,
        labels: labelNamesOf(metric),
      }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }
}

/** prom-client keeps them on the metric and leaves them out of its types. */
function labelNamesOf(metric: object): readonly string[] {
  return "labelNames" in metric && Array.isArray(metric.labelNames) ? metric.labelNames.map(String) : [];
}
