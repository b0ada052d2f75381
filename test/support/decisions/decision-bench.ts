import { ensureModelFolder } from "../../../scripts/models.ts";
import type { RequestTracer } from "../../../src/telemetry/index.ts";
import { call, type RawAnswer } from "../proxy/raw-client.ts";
import { RunningProxy } from "../proxy/running-proxy.ts";
import { modelName } from "./bodies.ts";
import { Scorer } from "./scorer.ts";

export interface DecisionSetup {
  readonly workers?: number;
  /** Members of each worker's `scoring`, as YAML. Default: none, all by default. */
  readonly scoring?: string;
  /** More settings of each worker, as members of a YAML flow mapping. */
  readonly worker?: string;
  /** Members of `decisionsApi`, as YAML. */
  readonly api?: string;
  /** More settings of the process, as YAML. */
  readonly settings?: string;
  readonly logLine?: (line: string) => void;
  /** Makes traces. Default: there are none. */
  readonly tracer?: RequestTracer;
}

/** A proxy with typed decisions before workers that score. */
export class DecisionBench {
  readonly scorers: readonly Scorer[];
  readonly proxy: RunningProxy;

  private constructor(scorers: readonly Scorer[], proxy: RunningProxy) {
    this.scorers = scorers;
    this.proxy = proxy;
  }

  static async start(setup: DecisionSetup = {}): Promise<DecisionBench> {
    const { workers = 1, scoring = "", worker, api = "", settings = "", logLine, tracer } = setup;
    const scorers = await Promise.all(Array.from({ length: workers }, () => Scorer.start()));
    const own = [`models: ["${modelName}"]`, `scoring: { ${scoring} }`, ...(worker === undefined ? [] : [worker])];
    const proxy = await RunningProxy.start({
      workers: scorers.map(({ endpoint }) => ({ endpoint, settings: own.join(", ") })),
      models: modelsText,
      settings: `decisionsApi: { enabled: true, modelAliases: { jev-latest: "${modelName}" }${api === "" ? "" : `, ${api}`} }\n${settings}`,
      ...(logLine === undefined ? {} : { logLine }),
      ...(tracer === undefined ? {} : { tracer }),
    });
    return new DecisionBench(scorers, proxy);
  }

  get scorer(): Scorer {
    return this.scorers[0] as Scorer;
  }

  /** Requests that any worker has got. */
  get seen(): number {
    return this.scorers.reduce((sum, { worker }) => sum + worker.seen.length, 0);
  }

  async close(): Promise<void> {
    await this.proxy.close();
    for (const scorer of this.scorers) await scorer.close();
  }

  decisions(body: object | string | Buffer, headers: readonly string[] = []): Promise<RawAnswer> {
    return call(this.proxy.url, { path: "/v1/decisions", body, headers });
  }

  systemone(body: object | string | Buffer, headers: readonly string[] = []): Promise<RawAnswer> {
    return call(this.proxy.url, { path: "/v1/systemone", body, headers });
  }
}

const modelsText = `models: [{ name: "${modelName}", aliases: [qwen], folder: "${ensureModelFolder("qwen3")}", profile: sglang, adapters: [lora] }, { name: other, loadOnly: true, profile: sglang }]`;

export function parsed({ body }: RawAnswer): unknown {
  return JSON.parse(body.toString("utf8"));
}
