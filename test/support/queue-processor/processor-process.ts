import { fileURLToPath } from "node:url";
import { OwnProcess } from "../../e2e/support/own-process.ts";
import { until } from "../../e2e/support/until.ts";
import type { ProcessorOptions } from "./options.ts";

const main = fileURLToPath(new URL("main.ts", import.meta.url));

/** A processor in a process of its own, so that it can be killed. */
export class ProcessorProcess {
  readonly #process: OwnProcess;

  private constructor(process: OwnProcess) {
    this.#process = process;
  }

  static async start(options: ProcessorOptions): Promise<ProcessorProcess> {
    const args = [main, JSON.stringify(options)];
    const child = await OwnProcess.start({ name: "processor", file: process.execPath, args });
    const check = () => child.assertRunning();
    await until(() => child.lines.includes("ready"), { what: "the processor", timeoutMs: 20_000, check });
    return new ProcessorProcess(child);
  }

  /** As when its machine fails. */
  async kill(): Promise<void> {
    await this.#process.end("SIGKILL");
  }

  /** Drains it. */
  async stop(): Promise<void> {
    await this.#process.end("SIGTERM");
  }
}
