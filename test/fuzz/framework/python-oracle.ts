import { type ChildProcessByStdio, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";

/** A Python program that answers each line of JSON by one. */
export class PythonOracle {
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #waiting: ((line: string | undefined) => void)[] = [];

  /** @param script its path */
  constructor(python: string, script: string) {
    this.#child = spawn(python, [script], { stdio: ["pipe", "pipe", "inherit"] });
    createInterface({ input: this.#child.stdout }).on("line", (line) => this.#waiting.shift()?.(line));
    this.#child.on("close", () => {
      for (const each of this.#waiting.splice(0)) each(undefined);
    });
  }

  async ask(question: unknown): Promise<unknown> {
    const line = await new Promise<string | undefined>((resolve) => {
      this.#waiting.push(resolve);
      this.#child.stdin.write(`${JSON.stringify(question)}\n`);
    });
    if (line === undefined) throw new Error("the oracle has ended");
    return JSON.parse(line);
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#child.once("close", () => resolve());
      this.#child.stdin.end();
    });
  }
}
