import { setTimeout as delay } from "node:timers/promises";
import { Agent } from "undici";
import { type SimWorker, type SimWorkerOptions, startSimWorker } from "../../../src/sim-worker/index.ts";
import { type ConfigPatch, type EnvoyKind, envoyConfig } from "./envoy-config.ts";
import { type EnvoyPorts, failingOpen, fastHealthChecks, onPorts, withWorkers } from "./envoy-patches.ts";
import { freePorts, onFreePorts } from "./free-ports.ts";
import { testModelFolder } from "./model-folder.ts";
import { Picker, type PickerLauncher, type PickerSettings } from "./picker.ts";
import { blockSize, mergeSettings, type PoolWorker, pickerSettings } from "./picker-settings.ts";
import { type EnvoyLauncher, envoyReady, pickerGone, pickerSeen, type RunningEnvoy } from "./running-envoy.ts";

/** What {@link Gateway.start} builds. */
export interface GatewayOptions {
  readonly kind: EnvoyKind;
  readonly launcher: EnvoyLauncher;
  /** Simulated workers to start. Default 4. */
  readonly workers?: number;
  /** Options of each of them; names and event ports are set. */
  readonly workerOptions?: SimWorkerOptions;
  /** More workers of the pool, listed first at the picker and at Envoy; they may be dead. */
  readonly otherWorkers?: readonly PoolWorker[];
  /** Changes to the Envoy file, after those that every test needs. Default: none; it fails closed. */
  readonly patches?: readonly ConfigPatch[];
  /** How the picker is run. Default: the built command line. */
  readonly pickerLauncher?: PickerLauncher;
  /** Changes to the picker's settings. */
  readonly picker?: PickerSettings;
  /** More settings of the picker for single workers, by name. */
  readonly workerSettings?: Readonly<Record<string, PickerSettings>>;
}

/** A real Envoy, a picker process and simulated workers, connected with each other on loopback ports. */
export class Gateway {
  readonly ports: EnvoyPorts;
  readonly workers: readonly SimWorker[];
  /** Keeps 64 connections to Envoy at most; for requests with undici. */
  readonly agent = new Agent({ connections: 64 });
  readonly #envoy: RunningEnvoy;
  readonly #settings: PickerSettings;
  readonly #metricsPort: number;
  readonly #pickerLauncher: PickerLauncher | undefined;
  #picker: Picker;

  private constructor(running: Running) {
    this.ports = running.ports;
    this.workers = running.workers;
    this.#envoy = running.envoy;
    this.#picker = running.picker;
    this.#settings = running.settings;
    this.#metricsPort = running.metricsPort;
    this.#pickerLauncher = running.pickerLauncher;
  }

  /** Starts all of it and returns when Envoy has seen the picker healthy. Stops what it had started when it fails. */
  static async start(options: GatewayOptions): Promise<Gateway> {
    return await onFreePorts(() => Gateway.#startOnce(options));
  }

  static async #startOnce(options: GatewayOptions): Promise<Gateway> {
    const [gateway = 0, admin = 0, picker = 0, pickerHealth = 0, pickerMetrics = 0] = await freePorts(5);
    const ports: EnvoyPorts = { gateway, admin, picker, pickerHealth };
    const running: Partial<Running> = {};
    try {
      running.workers = await startWorkers(options.workers ?? 4, options.workerOptions ?? {});
      const pool = [...(options.otherWorkers ?? []), ...running.workers];
      const place = { picker, pickerHealth, pickerMetrics, modelFolder: testModelFolder(), workers: pool };
      const plain = withWorkerSettings(pickerSettings(place), options.workerSettings ?? {});
      const own = mergeSettings(plain, hostSettings(options.kind));
      const settings = mergeSettings(own, options.picker ?? {});
      const patches = [onPorts(ports), withWorkers(pool.map((worker) => worker.endpoint)), fastHealthChecks];
      const config = envoyConfig(options.kind, [...patches, failingOpen(false), ...(options.patches ?? [])]);
      running.picker = await Picker.start(settings, pickerMetrics, options.pickerLauncher);
      running.envoy = await options.launcher.start(config);
      const { workers, envoy } = running;
      await envoyReady(ports, envoy);
      await pickerSeen(ports, running.picker);
      const { pickerLauncher } = options;
      const processes = { workers, picker: running.picker, envoy };
      return new Gateway({ ports, ...processes, settings, metricsPort: pickerMetrics, pickerLauncher });
    } catch (error) {
      const tails = [running.picker?.tail(), running.envoy?.tail()].filter((tail) => tail !== undefined);
      await stopAll(running);
      throw new Error(`the gateway did not start:\n${tails.join("\n---\n")}`, { cause: error });
    }
  }

  /** Where clients send requests. */
  get url(): string {
    return `http://127.0.0.1:${this.ports.gateway}`;
  }

  get picker(): Picker {
    return this.#picker;
  }

  /** Throws when Envoy has ended by itself. */
  assertEnvoyRuns(): void {
    this.#envoy.assertRunning();
  }

  /** The last lines of Envoy's and the picker's logs, for people. */
  report(): string {
    return `Envoy:\n${this.#envoy.tail()}\n\npicker:\n${this.#picker.tail()}`;
  }

  /** Ends the picker and waits until Envoy has noticed. */
  async stopPicker(signal: NodeJS.Signals): Promise<string> {
    const ending = await this.#picker.stop(signal);
    await pickerGone(this.ports);
    return ending;
  }

  /** Starts the picker again on the same ports and waits until Envoy has noticed. */
  async startPicker(): Promise<void> {
    this.#picker = await Picker.start(this.#settings, this.#metricsPort, this.#pickerLauncher);
    await pickerSeen(this.ports, this.#picker);
  }

  /** Ends all of it, the picker first. Returns how Envoy ended. */
  async stop(): Promise<string> {
    await this.agent.destroy();
    return await stopAll({ picker: this.#picker, envoy: this.#envoy, workers: this.workers });
  }
}

interface Running {
  ports: EnvoyPorts;
  workers: readonly SimWorker[];
  envoy: RunningEnvoy;
  picker: Picker;
  settings: PickerSettings;
  metricsPort: number;
  pickerLauncher: PickerLauncher | undefined;
}

/** A list for Envoys that walk it; ORIGINAL_DST takes one address, a list would be 503. */
function hostSettings(kind: EnvoyKind): PickerSettings {
  return { routing: { maxFallbacks: kind.hosts === "override-host" ? 2 : 0 } };
}

function withWorkerSettings(
  settings: PickerSettings,
  more: NonNullable<GatewayOptions["workerSettings"]>,
): PickerSettings {
  const workers = settings["workers"] as readonly (PickerSettings & { readonly name: string })[];
  return { ...settings, workers: workers.map((worker) => ({ ...worker, ...more[worker.name] })) };
}

/** `count` workers named `worker-0` and up, that publish KV events and are quick. */
async function startWorkers(count: number, options: SimWorkerOptions): Promise<readonly SimWorker[]> {
  const quick: SimWorkerOptions = { blockSize, ttftBaseMs: 1, prefillTimePerTokenUs: 2, interTokenMs: 1 };
  const events: SimWorkerOptions = { kvEventsPort: 0, kvReplayPort: 0 };
  const names = Array.from({ length: count }, (_, index) => `worker-${index}`);
  return await Promise.all(names.map((name) => startSimWorker({ ...quick, ...events, ...options, name })));
}

async function stopAll(running: Partial<Running>): Promise<string> {
  await running.picker?.stop();
  // Envoy with graceful close crashes when it is stopped while ext_proc streams still wait for their end.
  if (running.envoy !== undefined) await delay(200);
  const ending = await running.envoy?.stop();
  await Promise.all((running.workers ?? []).map((worker) => worker.close(0)));
  return ending ?? "not started";
}
