import { fileURLToPath } from "node:url";
import { type Command, OwnProcess } from "../../e2e/support/own-process.ts";
import { until } from "../../e2e/support/until.ts";
import { readMemoryLine, type TellingOfMemory } from "./memory-line.ts";
import { childrenOf, type ProcessFigures, processFigures } from "./process-figures.ts";

/** What one process holds at one moment. */
export interface MemorySample extends ProcessFigures {
  readonly pid: number;
  /** After a full collection; absent for programs that are not Node. */
  readonly heap?: TellingOfMemory;
}

const hook = fileURLToPath(new URL("debug-hook.ts", import.meta.url));

/** A Node program that can be asked for its memory. */
export function nodeCommand(name: string, args: readonly string[]): Command {
  return { name, file: process.execPath, args: ["--expose-gc", "--import", hook, ...args] };
}

/** One program of a soak: it can be ended and started again with the same settings. */
export class Component {
  readonly name: string;
  readonly isNode: boolean;
  readonly #command: Command;
  readonly #isUp: () => Promise<boolean>;
  readonly #told = new Map<number, TellingOfMemory>();
  #process: OwnProcess | undefined;

  /** @param isUp whether it does its work; asked until it does */
  constructor(command: Command, isUp: () => Promise<boolean>) {
    this.name = command.name;
    this.isNode = command.file === process.execPath;
    this.#command = command;
    this.#isUp = isUp;
  }

  get pid(): number {
    return this.#running.pid;
  }

  get isRunning(): boolean {
    return this.#process !== undefined && !this.#process.hasExited;
  }

  /** Starts it and waits until it is up. */
  async start(): Promise<void> {
    await this.spawn();
    await this.up();
  }

  /** Starts it and waits for nothing. */
  async spawn(): Promise<void> {
    const started = await OwnProcess.start(this.#command);
    started.onLine((line) => {
      const told = readMemoryLine(line);
      if (told !== undefined) this.#told.set(told.pid, told);
    });
    this.#process = started;
  }

  async up(timeoutMs = 400_000): Promise<void> {
    const check = () => this.assertRunning();
    await until(() => this.#isUp(), { what: `${this.name} to be up`, timeoutMs, intervalMs: 100, check });
  }

  isUp(): Promise<boolean> {
    return this.#isUp().catch(() => false);
  }

  /** Ends it. Returns how it ended. */
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<string> {
    return (await this.#process?.end(signal, 120_000)) ?? "not started";
  }

  assertRunning(): void {
    this.#running.assertRunning();
  }

  tail(lines = 15): string {
    return this.#process?.tail(lines) ?? "not started";
  }

  /** Lines of its log that hold a text. */
  logged(text: string): readonly string[] {
    return this.#process?.lines.filter((line) => line.includes(text)) ?? [];
  }

  /** Its own process, and those that it has started, in the order of their start. */
  async pids(): Promise<readonly number[]> {
    return [this.pid, ...(await childrenOf(this.pid))];
  }

  /** What it and its children hold after a collection. Processes that end meanwhile are left out. */
  async sample(): Promise<readonly MemorySample[]> {
    const pids = await this.pids();
    if (this.isNode) await this.#askAll(pids);
    const samples = await Promise.all(
      pids.map(async (pid): Promise<MemorySample | undefined> => {
        const figures = await processFigures(pid);
        const heap = this.#told.get(pid);
        return figures && { pid, ...figures, ...(heap === undefined ? {} : { heap }) };
      }),
    );
    return samples.filter((sample) => sample !== undefined);
  }

  async #askAll(pids: readonly number[]): Promise<void> {
    for (const pid of pids) {
      this.#told.delete(pid);
      process.kill(pid, "SIGUSR2");
    }
    const haveAll = () => pids.every((pid) => this.#told.has(pid));
    // One that a busy machine keeps from answering has no figures of its heap this time.
    await until(haveAll, { what: `${this.name} to tell its memory`, timeoutMs: 60_000 }).catch(() => undefined);
  }

  get #running(): OwnProcess {
    if (this.#process === undefined) throw new Error(`${this.name} was not started`);
    return this.#process;
  }
}
