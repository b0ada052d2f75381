import { assembleCore, type Core } from "../../../src/commands/assemble.ts";
import { PromptService } from "../../../src/commands/prompt-service.ts";
import { type RunningProxy as OwnProxy, startProxy } from "../../../src/commands/proxy.ts";
import { servedModels } from "../../../src/commands/served-models.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { HealthProber } from "../../../src/fleet/index.ts";
import { JsonReader } from "../../../src/json/index.ts";
import { createLogger, Metrics, type RequestTracer } from "../../../src/telemetry/index.ts";
import type { FakeWorker } from "./fake-worker.ts";

const ignore = () => undefined;
const noChecks = { same: ignore, different: ignore, skipped: ignore };
const noEvents = { prepared: ignore, failed: ignore, faulty: ignore, ended: ignore };

/** Settings of one proxy under test. */
export interface ProxySetup {
  /** Endpoints are taken from them; names are w0, w1, ... */
  readonly workers: readonly (Pick<FakeWorker, "endpoint"> & {
    /** More settings of the worker, as members of a YAML flow mapping. */
    readonly settings?: string;
  })[];
  /** More settings, as YAML. */
  readonly settings?: string;
  /** As YAML. Default: one model `m`, placed by load. */
  readonly models?: string;
  /** Default: workers are not probed. */
  readonly probes?: boolean;
  /** Gets every line of the log, from level debug on. Default: there is none. */
  readonly logLine?: (line: string) => void;
  /** Makes traces. Default: there are none. */
  readonly tracer?: RequestTracer;
}

const loadOnly = "models: [{ name: m, loadOnly: true, profile: vllm, aliases: [alias] }]";

function workerText({ endpoint, settings }: ProxySetup["workers"][number], i: number): string {
  return `{ name: w${i}, endpoint: "${endpoint}"${settings === undefined ? "" : `, ${settings}`} }`;
}

/** Of equally good workers the same one is taken in every run: with two, the one that the tests stop. */
const sameOfEqual = () => 0.999;

/** A proxy over a core of its own, on a port of its own. */
export class RunningProxy {
  readonly core: Core;
  readonly metrics: Metrics;
  readonly prober: HealthProber;
  /** `host:port` */
  readonly address: string;
  readonly #proxy: OwnProxy;
  readonly #prompts: PromptService | undefined;

  private constructor(
    core: Core,
    metrics: Metrics,
    prober: HealthProber,
    proxy: OwnProxy,
    prompts: PromptService | undefined,
  ) {
    this.core = core;
    this.metrics = metrics;
    this.prober = prober;
    this.address = proxy.server.address;
    this.#proxy = proxy;
    this.#prompts = prompts;
  }

  static async start(setup: ProxySetup): Promise<RunningProxy> {
    const { workers, settings = "", models = loadOnly, probes = false, logLine, tracer } = setup;
    const list = workers.map(workerText).join(", ");
    const text = `mode: proxy\n${models}\nworkers: [${list}]\n${settings}\n`;
    const config = loadConfig({ env: {}, text, flags: { set: ["proxy.listen=127.0.0.1:0"] } });
    const log =
      logLine === undefined ? createLogger({ level: "silent" }) : createLogger({ level: "debug" }, { write: logLine });
    const served = servedModels(config);
    const jsonReader = new JsonReader({});
    const needsPrompts = config.models.some((model) => !model.loadOnly);
    const prompts = needsPrompts
      ? new PromptService(config, {
          models: served,
          reader: jsonReader,
          random: sameOfEqual,
          threads: noEvents,
          shadow: noChecks,
          staleModel: ignore,
        })
      : undefined;
    const core = assembleCore(config, {
      models: served.registry,
      random: sameOfEqual,
      jsonReader,
      ...(prompts && { elsewhere: prompts.elsewhere }),
    });
    const metrics = new Metrics({ models: config.models.map(({ name }) => name), version: "test" });
    const prober = new HealthProber(core.catalogue, probes ? { intervalMs: 50 } : { intervalMs: 0 });
    await prompts?.loaded;
    const proxy = await startProxy({ core, config, log, metrics, prober, tracer, watchers: [] });
    proxy.server.setReady(true);
    return new RunningProxy(core, metrics, prober, proxy, prompts);
  }

  get url(): string {
    return `http://${this.address}`;
  }

  /** Value of a metric's series, as the exposition writes it; 0 where there is none. */
  async metric(series: string): Promise<number> {
    const line = (await this.metrics.render()).split("\n").find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1) ?? 0);
  }

  /** Load that is booked on all workers. */
  get booked(): { readonly requests: number; readonly decodeBlocks: number; readonly prefillTokens: number } {
    const total = { requests: 0, decodeBlocks: 0, prefillTokens: 0 };
    for (const worker of this.core.catalogue.workers()) {
      for (const { slot } of worker.ranks) {
        total.requests += this.core.loads.activeRequests(slot);
        total.decodeBlocks += this.core.loads.activeDecodeBlocks(slot);
        total.prefillTokens += this.core.loads.activePrefillTokens(slot);
      }
    }
    return total;
  }

  setReady(isReady: boolean): void {
    this.#proxy.server.setReady(isReady);
  }

  drain(timeoutMs: number): Promise<void> {
    return this.#proxy.server.drain(timeoutMs);
  }

  async close(): Promise<void> {
    await this.#proxy.close();
    await this.prober.close();
    await this.#prompts?.close();
  }
}
