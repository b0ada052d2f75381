import { mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { fetch } from "undici";
import { stringify } from "yaml";
import { build } from "../../../scripts/build.ts";
import { type Command, OwnProcess } from "./own-process.ts";
import { until } from "./until.ts";

const projectRoot = fileURLToPath(new URL("../../../", import.meta.url));

/** A picker's settings as its YAML file has them. */
export type PickerSettings = Readonly<Record<string, unknown>>;

/** The line that the picker logs, at level debug, for each pick. */
export interface PickLine {
  readonly requestId: string;
  readonly api: string;
  readonly worker: string;
  readonly endpoint: string;
  readonly promptTokens?: number;
  readonly promptBlocks?: number;
  readonly predictedCachedTokens?: number;
  readonly candidates: readonly PickLineCandidate[];
}

/** One worker that a pick considered. */
export interface PickLineCandidate {
  readonly worker: string;
  readonly overlapBlocks: number;
  /** In blocks, lower is better; absent when the worker was not eligible. */
  readonly cost?: number;
  readonly activePrefillTokens?: number;
  readonly activeDecodeBlocks?: number;
  readonly activeRequests?: number;
}

/** How a picker with this settings file is run. */
export type PickerLauncher = (configFile: string) => Promise<Command>;

/** The built command line. */
const asProcess: PickerLauncher = async (configFile) => {
  await ensureBuilt();
  const args = ["dist/main.js", "serve", "--config", configFile];
  return { name: "picker", file: process.execPath, args, cwd: projectRoot };
};

/** `pointsman serve` as a child process. */
export class Picker {
  readonly #process: OwnProcess;
  readonly #folder: string;
  readonly #metricsPort: number;
  readonly #picks = new Map<string, PickLine>();

  private constructor(process: OwnProcess, folder: string, metricsPort: number) {
    this.#process = process;
    this.#folder = folder;
    this.#metricsPort = metricsPort;
    process.onLine((line) => this.#read(line));
  }

  /**
   * Starts the picker with these settings and waits until it serves metrics. Envoy's health check tells whether it is ready for
   * requests.
   */
  static async start(settings: PickerSettings, metricsPort: number, launch = asProcess): Promise<Picker> {
    const folder = await mkdtemp(join(tmpdir(), "pointsman-picker-"));
    const file = join(folder, "config.yaml");
    await writeFile(file, stringify(settings));
    const child = await OwnProcess.start(await launch(file));
    const picker = new Picker(child, folder, metricsPort);
    const check = () => child.assertRunning();
    try {
      await until(() => picker.#answers(), { what: "the picker's metrics", check });
    } catch (error) {
      await picker.stop("SIGKILL");
      throw error;
    }
    return picker;
  }

  get pid(): number {
    return this.#process.pid;
  }

  /** Metrics as Prometheus text. */
  async metricsText(): Promise<string> {
    return await (await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`)).text();
  }

  /** The pick of the request with this `x-request-id`; needs log level debug. */
  async pickOf(requestId: string): Promise<PickLine> {
    return await until(() => this.#picks.get(requestId), { what: `the pick of ${requestId}` });
  }

  /** Throws, with its last output, when it has ended by itself. */
  assertRunning(): void {
    this.#process.assertRunning();
  }

  /** The last lines of its log. */
  tail(lines?: number): string {
    return this.#process.tail(lines);
  }

  /** Ends it (SIGTERM drains first) and returns how it ended. */
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<string> {
    const ending = await this.#process.end(signal);
    await rm(this.#folder, { recursive: true, force: true });
    return ending;
  }

  async #answers(): Promise<boolean> {
    return (await fetch(`http://127.0.0.1:${this.#metricsPort}/metrics`)).ok;
  }

  #read(line: string): void {
    if (!line.includes('"picked"')) return;
    const entry = JSON.parse(line) as { msg?: string } & PickLine;
    if (entry.msg === "picked") this.#picks.set(entry.requestId, entry);
  }
}

/** Builds `dist/` when a source file is newer, so that a test never runs an old picker. */
export async function ensureBuilt(): Promise<void> {
  const builtMs = await stat(join(projectRoot, "dist/main.js")).then(
    (file) => file.mtimeMs,
    () => 0,
  );
  if (builtMs > (await newestMs(join(projectRoot, "src")))) return;
  await build();
}

async function newestMs(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const times = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)));
  return Math.max(...(await Promise.all(times)).map((file) => file.mtimeMs));
}
