import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";

/** What {@link OwnProcess.start} runs. */
export interface Command {
  /** For messages. */
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** Default: this process's environment. */
  readonly env?: Readonly<Record<string, string>>;
}

const keptLines = 5_000;

/** A child of ours: its last output lines are kept, and it is ended by its own pid only. */
export class OwnProcess {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #lines: string[] = [];
  readonly #onLine = new Set<(line: string) => void>();

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream !== null) createInterface({ input: stream }).on("line", (line) => this.#keep(line));
    }
  }

  /** Spawns the command; rejects when its file cannot be run. */
  static async start(command: Command): Promise<OwnProcess> {
    const child = spawn(command.file, [...command.args], {
      stdio: ["ignore", "pipe", "pipe"],
      ...(command.cwd === undefined ? {} : { cwd: command.cwd }),
      env: command.env ?? process.env,
    });
    const own = new OwnProcess(command.name, child);
    await once(child, "spawn");
    return own;
  }

  /** The lines written so far to stdout and stderr, oldest first; only the last 5,000 are kept. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  get pid(): number {
    const { pid } = this.#child;
    if (pid === undefined) throw new Error(`${this.#name} has no pid`);
    return pid;
  }

  get hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Calls `listener` with each further line. */
  onLine(listener: (line: string) => void): void {
    this.#onLine.add(listener);
  }

  /** Throws, with the last output, when the process is no longer there. */
  assertRunning(): void {
    if (this.hasExited) throw new Error(`${this.#name} exited early (${this.#ending()}):\n${this.tail()}`);
  }

  /** The last `count` lines in one string. */
  tail(count = 30): string {
    return this.#lines.slice(-count).join("\n");
  }

  /** Sends `signal` and waits for the end; after `graceMs` (default 60 000) it kills. Returns how the process ended. */
  async end(signal: NodeJS.Signals = "SIGTERM", graceMs = 60_000): Promise<string> {
    if (!this.hasExited) {
      const exited = once(this.#child, "exit");
      this.#child.kill(signal);
      const killer = setTimeout(() => this.#child.kill("SIGKILL"), graceMs);
      await exited;
      clearTimeout(killer);
    }
    return this.#ending();
  }

  #ending(): string {
    return this.#child.signalCode ?? `exit code ${this.#child.exitCode}`;
  }

  #keep(line: string): void {
    this.#lines.push(line);
    if (this.#lines.length > keptLines) this.#lines.shift();
    for (const listener of this.#onLine) listener(line);
  }
}
