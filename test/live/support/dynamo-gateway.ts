import { setTimeout as delay } from "node:timers/promises";
import { Agent, request } from "undici";
import type { ServedModel } from "../../../scripts/oracle/recording-worker.ts";
import { envoyBinary } from "../../e2e/support/envoy-binary.ts";
import { type EnvoyKind, envoyConfig } from "../../e2e/support/envoy-config.ts";
import { failingOpen, fastHealthChecks, onPorts, withWorkers } from "../../e2e/support/envoy-patches.ts";
import { freePorts } from "../../e2e/support/free-ports.ts";
import { Picker } from "../../e2e/support/picker.ts";
import { envoyReady, pickerSeen, type RunningEnvoy } from "../../e2e/support/running-envoy.ts";
import type { DynamoWorker } from "./dynamo-workers.ts";

/** An answer that came through the gateway. */
export interface GatewayAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/** A real Envoy and the built picker before Dynamo's frontends. */
export class DynamoGateway {
  readonly #envoy: RunningEnvoy;
  readonly #picker: Picker;
  readonly #url: string;
  readonly #agent = new Agent({ connections: 64 });

  private constructor(envoy: RunningEnvoy, picker: Picker, url: string) {
    this.#envoy = envoy;
    this.#picker = picker;
    this.#url = url;
  }

  static async start(
    kind: EnvoyKind,
    workers: readonly DynamoWorker[],
    models: readonly ServedModel[],
  ): Promise<DynamoGateway> {
    const [gateway = 0, admin = 0, picker = 0, pickerHealth = 0, metrics = 0] = await freePorts(5);
    const ports = { gateway, admin, picker, pickerHealth };
    const settings = {
      models: models.map(({ name, folder }) => ({ name, folder, profile: "dynamo", blockSize: 16 })),
      workers: workers.map(({ name, id, proxy }) => ({ name, id, endpoint: proxy.endpoint })),
      extProc: { listen: `127.0.0.1:${picker}` },
      health: { listen: `127.0.0.1:${pickerHealth}` },
      metrics: { listen: `127.0.0.1:${metrics}` },
      log: { level: "debug" },
      shutdown: { drainTimeoutMs: 2_000 },
    };
    const patches = [onPorts(ports), withWorkers(workers.map(({ proxy }) => proxy.endpoint)), fastHealthChecks];
    const running = await Picker.start(settings, metrics);
    const config = envoyConfig(kind, [...patches, failingOpen(false)]);
    const envoy = await envoyBinary.start(config).catch(async (error: unknown) => {
      await running.stop();
      throw error;
    });
    const started = new DynamoGateway(envoy, running, `http://127.0.0.1:${gateway}`);
    try {
      await envoyReady(ports, envoy);
      await pickerSeen(ports, running, 30_000 * models.length);
      return started;
    } catch (cause) {
      const report = started.report();
      await started.stop();
      throw new Error(`the gateway did not start:\n${report}`, { cause });
    }
  }

  /** Sends `body` as it is and reads the whole answer. */
  async post(path: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<GatewayAnswer> {
    const response = await request(`${this.#url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body,
      dispatcher: this.#agent,
    });
    const contentType = String(response.headers["content-type"]);
    return { status: response.statusCode, contentType, body: await response.body.text() };
  }

  /** The last lines of both logs, for people. */
  report(): string {
    return `Envoy:\n${this.#envoy.tail()}\n\npicker:\n${this.#picker.tail()}`;
  }

  async stop(): Promise<void> {
    await this.#agent.destroy();
    await this.#picker.stop();
    // Envoy ends cleanly only when no ext_proc stream is left.
    await delay(200);
    await this.#envoy.stop();
  }
}
