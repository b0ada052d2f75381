import { type RunningQueueFront, startQueueFront } from "../../../src/commands/queue.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { createLogger, Metrics } from "../../../src/telemetry/index.ts";

/** The synchronous front of a queue, on a port of its own, with all that it wrote to the log. */
export class RunningFront {
  readonly log: string[];
  readonly #front: RunningQueueFront;
  readonly #metrics: Metrics;

  private constructor(front: RunningQueueFront, metrics: Metrics, log: string[]) {
    this.#front = front;
    this.#metrics = metrics;
    this.log = log;
  }

  /** @param settings of `queue`, as members of a YAML flow mapping */
  static async start(redisUrl: string, settings = ""): Promise<RunningFront> {
    const lines: string[] = [];
    const redis = settings.includes("redis:") ? "" : `redis: { url: "${redisUrl}" },`;
    const canary = settings.includes("canary:") ? "" : "canary: { mode: off },";
    const text = `mode: queue\nqueue: { listen: "127.0.0.1:0", ${redis} ${canary} ${settings} }\n`;
    const config = loadConfig({ env: {}, text });
    const log = createLogger({ level: "debug" }, { write: (line) => lines.push(line) });
    const metrics = new Metrics({ models: [], version: "test" });
    const front = await startQueueFront({ config, log, metrics });
    front.setReady(true);
    return new RunningFront(front, metrics, lines);
  }

  get url(): string {
    return `http://${this.#front.server.address}`;
  }

  /** Posts JSON. @param body a text is sent as it is */
  post(path: string, body: object | string, init: RequestInit = {}): Promise<Response> {
    const headers = { "content-type": "application/json", ...init.headers };
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return fetch(`${this.url}${path}`, { method: "POST", body: text, ...init, headers });
  }

  /** Value of a metric's series, as the exposition writes it; 0 where there is none. */
  async metric(series: string): Promise<number> {
    const line = (await this.#metrics.render()).split("\n").find((each) => each.startsWith(`${series} `));
    return Number(line?.slice(series.length + 1) ?? 0);
  }

  drain(timeoutMs: number): Promise<void> {
    return this.#front.drain(timeoutMs);
  }

  close(): Promise<void> {
    return this.#front.close();
  }
}
