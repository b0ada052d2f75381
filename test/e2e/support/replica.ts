import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { stringify } from "yaml";
import type { SimWorker } from "../../../src/sim-worker/index.ts";
import { freePorts } from "./free-ports.ts";
import { OwnProcess } from "./own-process.ts";
import { until } from "./until.ts";

export interface ReplicaSettings {
  /** For its settings. */
  readonly folder: string;
  readonly workers: readonly SimWorker[];
  readonly blockSize: number;
  /** Of the route API. Default: a free one. */
  readonly port?: number;
  /** The setting `replicas.peers`. */
  readonly peers?: object;
  readonly tokenFile?: string;
  /** Default true. */
  readonly waitsUntilReady?: boolean;
}

interface Ready {
  readonly status: number;
  readonly ready: boolean;
  readonly recovery?: { readonly state: string; readonly peer?: string; readonly blocks: number };
}

/** `pointsman serve` in mode `reserve` as a child process, with the workers 1, 2, ... of the model `m`. */
export class Replica {
  readonly #process: OwnProcess;
  readonly #token: string | undefined;
  readonly #metricsPort: number;
  readonly url: string;

  private constructor(process: OwnProcess, port: number, metricsPort: number, token: string | undefined) {
    this.#process = process;
    this.#metricsPort = metricsPort;
    this.#token = token;
    this.url = `http://127.0.0.1:${port}`;
  }

  static async start(settings: ReplicaSettings): Promise<Replica> {
    const [free = 0, metricsPort = 0] = await freePorts(2);
    const { folder, workers, blockSize, port = free, peers = {}, tokenFile, waitsUntilReady = true } = settings;
    const file = join(folder, `picker-${metricsPort}.yaml`);
    const config = {
      mode: "reserve",
      models: [{ name: "m", loadOnly: true, blockSize }],
      routeApi: { listen: `127.0.0.1:${port}`, tokenFile },
      metrics: { listen: `127.0.0.1:${metricsPort}` },
      health: { listen: "off" },
      shutdown: { drainTimeoutMs: 0 },
      fleet: { healthCheck: { enabled: false } },
      workers: workers.map((worker, i) => ({
        name: `w${i + 1}`,
        id: String(i + 1),
        endpoint: worker.endpoint,
        kvEvents: worker.kvEventsEndpoint,
        kvReplay: worker.kvReplayEndpoint,
      })),
      replicas: { peers },
    };
    await writeFile(file, stringify(config));
    const args = ["dist/main.js", "serve", "--config", file];
    const child = await OwnProcess.start({ name: "pointsman", file: process.execPath, args });
    const token = tokenFile === undefined ? undefined : "a-token-of-the-test";
    const replica = new Replica(child, port, metricsPort, token);
    const check = () => child.assertRunning();
    await until(async () => (await replica.get("/health")).status === 200, {
      what: "the replica to answer",
      timeoutMs: 60_000,
      check,
    });
    if (waitsUntilReady && workers.length > 0) await replica.untilReady();
    await replica.listens();
    return replica;
  }

  async untilReady(): Promise<void> {
    await until(async () => (await this.ready()).ready, { what: "the replica to be ready", timeoutMs: 60_000 });
  }

  async get(path: string): Promise<{ status: number; text: string }> {
    const response = await request(`${this.url}${path}`, { headers: this.#headers() });
    return { status: response.statusCode, text: await response.body.text() };
  }

  async post(path: string, body: unknown): Promise<{ status: number; text: string }> {
    const headers = { "content-type": "application/json", ...this.#headers() };
    const response = await request(`${this.url}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.statusCode, text: await response.body.text() };
  }

  async ready(): Promise<Ready> {
    const { status, text } = await this.get("/ready");
    return { status, ...JSON.parse(text) };
  }

  /** Leading blocks of a prompt that each worker holds, by id. */
  async cachedBlocks(tokenIds: readonly number[]): Promise<number[]> {
    const { text } = await this.post("/overlap_scores", { model_name: "m", token_ids: tokenIds });
    const { workers } = JSON.parse(text) as { workers: { worker_id: number; device_blocks: number }[] };
    return workers.toSorted((a, b) => a.worker_id - b.worker_id).map((score) => score.device_blocks);
  }

  /** What is wrong with the workers' events. */
  async problems(): Promise<unknown[]> {
    return (await this.#events()).flatMap(({ problems }) => problems);
  }

  /** Waits until it listens to all workers: events that are told once must not be told before. */
  async listens(): Promise<void> {
    const isConnected = async () => (await this.#events()).every((events) => events.is_connected);
    await until(isConnected, { what: "the replica to listen to the workers" });
  }

  async register(worker: SimWorker, id: number): Promise<void> {
    const { status, text } = await this.post("/workers", {
      worker_id: id,
      model_name: "m",
      endpoint: `http://${worker.endpoint}`,
      block_size: 4,
      kv_events_endpoint: worker.kvEventsEndpoint,
    });
    if (status !== 201) throw new Error(`POST /workers answered ${status}: ${text}`);
  }

  /** The value of one series. */
  async metric(series: string): Promise<number | undefined> {
    const text = await (await request(`http://127.0.0.1:${this.#metricsPort}/metrics`)).body.text();
    const line = text.split("\n").find((each) => each.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length));
  }

  /** The first line of its log that has a text. */
  logged(text: string): unknown {
    const line = this.#process.lines.find((each) => each.includes(text));
    return line === undefined ? undefined : JSON.parse(line);
  }

  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<string> {
    return this.#process.end(signal);
  }

  #headers(): Record<string, string> {
    return this.#token === undefined ? {} : { authorization: `Bearer ${this.#token}` };
  }

  async #events(): Promise<{ problems: unknown[]; is_connected: boolean }[]> {
    const workers = JSON.parse((await this.get("/workers")).text) as {
      status: { ranks: { kv_events: { problems: unknown[]; is_connected: boolean } }[] };
    }[];
    return workers.flatMap(({ status }) => status.ranks.map(({ kv_events }) => kv_events));
  }
}
