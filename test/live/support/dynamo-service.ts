import { request } from "undici";
import { ensureOraclePython, OracleFolder } from "../../../scripts/oracle/environment.ts";
import { freePorts } from "../../e2e/support/free-ports.ts";
import { OwnProcess } from "../../e2e/support/own-process.ts";
import { until } from "../../e2e/support/until.ts";

/** One of Dynamo's services that need no runtime: its KV indexer, or its selection service. */
export class DynamoService {
  readonly #process: OwnProcess;
  readonly #folder: OracleFolder;
  readonly endpoint: string;

  private constructor(process: OwnProcess, folder: OracleFolder, endpoint: string) {
    this.#process = process;
    this.#folder = folder;
    this.endpoint = endpoint;
  }

  /** Starts it on a free port of 127.0.0.1 and waits until it answers. */
  static async start(name: "indexer" | "select_service", args: readonly string[] = []): Promise<DynamoService> {
    const python = await ensureOraclePython();
    const folder = await OracleFolder.make();
    const [port = 0] = await freePorts(1);
    const all = ["-m", `dynamo.${name}`, "--port", String(port), ...args];
    const child = await OwnProcess.start({ name, file: python, args: all, env: folder.environment });
    const service = new DynamoService(child, folder, `http://127.0.0.1:${port}`);
    const check = () => child.assertRunning();
    const isUp = async () => (await service.get("/health").catch(() => undefined))?.status === 200;
    await until(isUp, { what: `the ${name} to answer`, timeoutMs: 60_000, intervalMs: 100, check });
    return service;
  }

  async get(path: string): Promise<{ status: number; text: string }> {
    const response = await request(`${this.endpoint}${path}`);
    return { status: response.statusCode, text: await response.body.text() };
  }

  async post(path: string, body: unknown): Promise<{ status: number; text: string }> {
    const headers = { "content-type": "application/json" };
    const response = await request(`${this.endpoint}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.statusCode, text: await response.body.text() };
  }

  async stop(): Promise<void> {
    await this.#process.end();
    await this.#folder.remove();
  }
}
