import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { fileURLToPath } from "node:url";
import { TerminalScreen } from "./screen.ts";

/** What became of the command. */
export interface TerminalEvent {
  readonly event: "stopped" | "ended";
  readonly code: number | null;
  /** Number of the signal that ended it. */
  readonly signal: number | null;
  /** The terminal's modes (echo, lines, signals) are what they were before the command. */
  readonly isRestored: boolean;
}

export interface TerminalCommand {
  readonly args: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
}

const script = fileURLToPath(new URL("on-a-terminal.py", import.meta.url));

/** A command on a real pseudo-terminal, and what a person in front of it sees. */
export class TerminalProcess {
  readonly screen: TerminalScreen;
  /** Sizes of what was written, in characters, as they came. */
  readonly writes: number[] = [];
  readonly #child: ChildProcess;
  readonly #control: Writable;
  readonly #events: TerminalEvent[] = [];
  readonly #decoder = new StringDecoder("utf8");
  /** The script's exit comes before what it has told on its way out. */
  #isAllTold = false;

  private constructor(child: ChildProcess, screen: TerminalScreen) {
    this.screen = screen;
    this.#child = child;
    this.#control = child.stdio[3] as Writable;
    for (const stream of [child.stdin, this.#control]) stream?.on("error", () => undefined);
    child.stdout?.on("data", (bytes: Buffer) => {
      const text = this.#decoder.write(bytes);
      this.writes.push(text.length);
      screen.write(text);
    });
    const events = createInterface({ input: child.stdio[4] as Readable });
    events.on("line", (line) => this.#events.push(JSON.parse(line) as TerminalEvent));
    events.on("close", () => {
      this.#isAllTold = true;
    });
  }

  static async start({ args, columns = 80, rows = 24, env = {} }: TerminalCommand): Promise<TerminalProcess> {
    const child = spawn("python3", [script, String(rows), String(columns), ...args], {
      stdio: ["pipe", "pipe", "inherit", "pipe", "pipe"],
      env: { ...process.env, TERM: "xterm-256color", LANG: "C.UTF-8", LC_ALL: "", NO_COLOR: "", ...env },
    });
    await once(child, "spawn");
    return new TerminalProcess(child, new TerminalScreen(columns, rows));
  }

  get events(): readonly TerminalEvent[] {
    return this.#events;
  }

  /** The command's end; undefined = it runs. */
  get end(): TerminalEvent | undefined {
    return this.#events.find(({ event }) => event === "ended");
  }

  type(text: string): void {
    this.#child.stdin?.write(text);
  }

  resize(columns: number, rows: number): void {
    this.screen.resize(columns, rows);
    this.#control.write(`resize ${rows} ${columns}\n`);
  }

  signal(name: NodeJS.Signals): void {
    this.#control.write(`signal ${name}\n`);
  }

  continue(): void {
    this.#control.write("continue\n");
  }

  hangUp(): void {
    this.#control.write("hangup\n");
  }

  /** Throws when the script itself is gone before it has told of the command's end. */
  assertRunning(): void {
    if (this.#isAllTold && this.end === undefined) throw new Error("the terminal has ended by itself");
  }

  /** For the end of a test: what still runs is ended. */
  async close(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    if (this.end === undefined) this.signal("SIGKILL");
    await exited;
  }
}
