import { request } from "undici";
import { promptTokenizer } from "../../../src/commands/prompt-tokenizer.ts";
import { readModelFolder } from "../../../src/config/index.ts";
import { Model, profileByName } from "../../../src/model/index.ts";
import {
  type SimWorker,
  type SimWorkerOptions,
  startSimWorker,
  type TokenizePrompt,
} from "../../../src/sim-worker/index.ts";
import { freePorts } from "../../e2e/support/free-ports.ts";
import { testModelFolder } from "../../e2e/support/model-folder.ts";
import { Picker, type PickerSettings } from "../../e2e/support/picker.ts";
import { blockSize, mergeSettings } from "../../e2e/support/picker-settings.ts";
import { until } from "../../e2e/support/until.ts";

/** The model that the fleet serves. */
export const fleetModel = "qwen3";

export interface FleetOptions {
  /** Names of the workers. */
  readonly workers: readonly string[];
  readonly workerOptions?: SimWorkerOptions;
  /** Changes to the picker's settings. */
  readonly picker?: PickerSettings;
}

/** A message of a conversation. */
export interface Message {
  readonly role: "system" | "user" | "assistant";
  readonly content: string;
}

/** A running picker as a proxy, with its console, before simulated workers that publish what they cache. */
export class RealFleet {
  readonly workers: readonly SimWorker[];
  readonly consoleUrl: string;
  readonly #proxyUrl: string;
  readonly #settings: PickerSettings;
  readonly #metricsPort: number;
  #picker: Picker;

  private constructor(
    workers: readonly SimWorker[],
    ports: { readonly console: number; readonly proxy: number; readonly metrics: number },
    settings: PickerSettings,
    picker: Picker,
  ) {
    this.workers = workers;
    this.consoleUrl = `http://127.0.0.1:${ports.console}/`;
    this.#proxyUrl = `http://127.0.0.1:${ports.proxy}`;
    this.#metricsPort = ports.metrics;
    this.#settings = settings;
    this.#picker = picker;
  }

  /** Starts all of it, and returns when requests are answered. */
  static async start({ workers: names, workerOptions, picker: changes = {} }: FleetOptions): Promise<RealFleet> {
    const [console = 0, proxy = 0, metrics = 0] = await freePorts(3);
    const common = { blockSize, kvEventsPort: 0, kvReplayPort: 0, tokenize: await tokenizer(), ...workerOptions };
    const workers = await Promise.all(names.map((name) => startSimWorker({ ...common, name })));
    const settings = mergeSettings(settingsOf(workers, { console, proxy, metrics }), changes);
    try {
      const picker = await Picker.start(settings, metrics);
      const fleet = new RealFleet(workers, { console, proxy, metrics }, settings, picker);
      await fleet.#isReady();
      return fleet;
    } catch (error) {
      await Promise.all(workers.map((worker) => worker.close(0)));
      throw error;
    }
  }

  /** One turn of a conversation; the answer's text. */
  async ask(messages: readonly Message[], headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const { statusCode, body } = await request(`${this.#proxyUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ model: fleetModel, messages, max_tokens: 64 }),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`answered ${statusCode}: ${text}`);
    return JSON.parse(text).choices[0].message.content;
  }

  async stopPicker(): Promise<void> {
    await this.#picker.stop();
  }

  /** Starts the picker again, on the same ports. */
  async startPicker(): Promise<void> {
    this.#picker = await Picker.start(this.#settings, this.#metricsPort);
    await this.#isReady();
  }

  async stop(): Promise<void> {
    await this.#picker.stop();
    await Promise.all(this.workers.map((worker) => worker.close(0)));
  }

  async #isReady(): Promise<void> {
    const check = () => this.#picker.assertRunning();
    await until(() => this.ask([{ role: "user", content: "Hello?" }]), { what: "the proxy", timeoutMs: 60_000, check });
  }
}

/** What an engine's own frontend does with a request: the picker's tokens, so that both speak of the same blocks. */
async function tokenizer(): Promise<TokenizePrompt> {
  const options = { name: fleetModel, profile: profileByName("vllm"), blockSize };
  return promptTokenizer(await Model.load(options, await readModelFolder(testModelFolder())));
}

function settingsOf(
  workers: readonly SimWorker[],
  ports: { readonly console: number; readonly proxy: number; readonly metrics: number },
): PickerSettings {
  return {
    mode: "proxy",
    models: [{ name: fleetModel, profile: "vllm", folder: testModelFolder(), blockSize }],
    workers: workers.map(({ name, endpoint, kvEventsEndpoint, kvReplayEndpoint }) => ({
      name,
      endpoint,
      kvEvents: kvEventsEndpoint,
      kvReplay: kvReplayEndpoint,
    })),
    proxy: { listen: `127.0.0.1:${ports.proxy}` },
    admin: { listen: `127.0.0.1:${ports.console}`, updateIntervalMs: 200 },
    metrics: { listen: `127.0.0.1:${ports.metrics}` },
    health: { listen: "off" },
    fleet: { healthCheck: { intervalMs: 300, timeoutMs: 5_000 }, engineMetrics: { enabled: true } },
    shutdown: { drainTimeoutMs: 500 },
  };
}
