import { request } from "undici";
import { freePorts } from "../../test/e2e/support/free-ports.ts";
import { OwnProcess } from "../../test/e2e/support/own-process.ts";
import { until } from "../../test/e2e/support/until.ts";
import type { OracleFolder } from "./environment.ts";

/** The released runtime-free router of Dynamo (`python -m dynamo.select_service`) as a child process. */
export class SelectService {
  readonly #process: OwnProcess;
  readonly #port: number;

  private constructor(process: OwnProcess, port: number) {
    this.#process = process;
    this.#port = port;
  }

  /** Starts the process on a free port, and waits until it answers. */
  static async start(
    python: string,
    folder: OracleFolder,
    env: Readonly<Record<string, string>> = {},
  ): Promise<SelectService> {
    const [port = 0] = await freePorts(1);
    const args = ["-m", "dynamo.select_service", "--port", String(port)];
    const environment = { ...folder.environment, ...env };
    const child = await OwnProcess.start({ name: "select-service", file: python, args, env: environment });
    const service = new SelectService(child, port);
    const look = async () => (await request(`http://${service.address}/health`)).statusCode === 200;
    try {
      const options = { what: "the selection service to answer", timeoutMs: 60_000, intervalMs: 50 };
      await until(() => look().catch(() => false), { ...options, check: () => service.assertRunning() });
    } catch (cause) {
      await service.stop();
      throw new Error(`the selection service is not ready:\n${child.tail()}`, { cause });
    }
    return service;
  }

  /** `host:port`. */
  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  get pid(): number {
    return this.#process.pid;
  }

  assertRunning(): void {
    this.#process.assertRunning();
  }

  async stop(): Promise<void> {
    await this.#process.end("SIGKILL");
  }
}
