import { freePorts } from "../../support/free-ports.ts";
import { parseMetrics, sumOf } from "../../support/metrics.ts";
import { Picker, type PickerSettings } from "../../support/picker.ts";
import { mergeSettings } from "../../support/picker-settings.ts";
import { until } from "../../support/until.ts";

/** `pointsman serve` in the mode `queue`, in a process of its own. */
export class QueueFront {
  readonly url: string;
  readonly port: number;
  readonly #picker: Picker;

  private constructor(picker: Picker, port: number) {
    this.#picker = picker;
    this.port = port;
    this.url = `http://127.0.0.1:${port}`;
  }

  /** @param queue more settings of the section `queue` @param rest other sections */
  static async start(redisUrl: string, queue: PickerSettings = {}, rest: PickerSettings = {}): Promise<QueueFront> {
    const [port = 0, metricsPort = 0] = await freePorts(2);
    const own = { listen: `127.0.0.1:${port}`, redis: { url: redisUrl }, canary: { mode: "off" } };
    const settings = {
      mode: "queue",
      metrics: { listen: `127.0.0.1:${metricsPort}` },
      queue: mergeSettings(own, queue),
      shutdown: { drainTimeoutMs: 2_000 },
    };
    const front = new QueueFront(await Picker.start(mergeSettings(settings, rest), metricsPort), port);
    const isListening = async () => (await fetch(`${front.url}/health`)).status > 0;
    await until(isListening, { what: "the front to listen", check: () => front.#picker.assertRunning() });
    return front;
  }

  async isHealthy(): Promise<boolean> {
    return (await fetch(`${this.url}/health`)).status === 200;
  }

  async healthy(): Promise<this> {
    await until(() => this.isHealthy(), { what: "the front to be healthy" });
    return this;
  }

  async post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const sent = { "content-type": "application/json", ...headers };
    const response = await fetch(`${this.url}${path}`, { method: "POST", headers: sent, body });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** Sum of the samples of that name and labels. */
  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    return sumOf(parseMetrics(await this.#picker.metricsText()), name, labels);
  }

  log(): string {
    return this.#picker.tail();
  }

  stop(signal: NodeJS.Signals = "SIGTERM"): Promise<string> {
    return this.#picker.stop(signal);
  }
}

/** An answer, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}
