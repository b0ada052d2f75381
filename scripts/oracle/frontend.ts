import { Agent, request } from "undici";
import { JsonNumber, JsonObject, type JsonValue, parseJson } from "../../src/json/index.ts";
import { freePorts } from "../../test/e2e/support/free-ports.ts";
import { OwnProcess } from "../../test/e2e/support/own-process.ts";
import { until } from "../../test/e2e/support/until.ts";
import type { OracleFolder } from "./environment.ts";

/** What {@link Frontend.start} needs. */
export interface FrontendOptions {
  readonly python: string;
  readonly folder: OracleFolder;
  /** `direct` takes the worker from the request's headers, as beside each worker of a gateway deployment. */
  readonly routerMode: "round-robin" | "direct";
  /** Settings of the frontend beyond what its folder needs. */
  readonly env?: Readonly<Record<string, string>>;
}

/** An answer of a frontend. */
export interface FrontendAnswer {
  readonly status: number;
  readonly body: string;
}

/** An instance that a frontend knows. */
export interface Instance {
  /** Decimal u64. */
  readonly id: string;
  readonly namespace: string;
}

/** The released Dynamo frontend (`python -m dynamo.frontend`) as a child process. */
export class Frontend {
  readonly #process: OwnProcess;
  readonly #port: number;
  readonly #agent = new Agent({ connections: 16 });

  private constructor(process: OwnProcess, port: number) {
    this.#process = process;
    this.#port = port;
  }

  /** Starts the process on a free port of 127.0.0.1; it may not know a model yet. */
  static async start({ python, folder, routerMode, env }: FrontendOptions): Promise<Frontend> {
    const [port = 0] = await freePorts(1);
    const listen = ["--http-host", "127.0.0.1", "--http-port", String(port)];
    const args = ["-m", "dynamo.frontend", ...listen, "--router-mode", routerMode, "--enable-anthropic-api"];
    const child = await OwnProcess.start({
      name: "frontend",
      file: python,
      args,
      env: { ...folder.environment, ...env },
    });
    return new Frontend(child, port);
  }

  /** `host:port`. */
  get endpoint(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /**
   * Waits until it lists every model and sees so many instances, a worker counting once for each of its models.
   * @param checkWorkers throws when one has ended
   */
  async ready(models: readonly string[], instances: number, checkWorkers?: () => void): Promise<void> {
    const look = async (): Promise<boolean> => {
      const served = (await this.#get("/v1/models")).body;
      if (!models.every((model) => served.includes(JSON.stringify(model)))) return false;
      return (await this.instances()).length >= instances;
    };
    const check = () => {
      this.assertRunning();
      checkWorkers?.();
    };
    try {
      await until(look, { what: "the frontend to see every model", timeoutMs: 240_000, intervalMs: 200, check });
    } catch (cause) {
      throw new Error(`the frontend is not ready:\n${this.#process.tail()}`, { cause });
    }
  }

  /** The instances of all workers, from `GET /health`. */
  async instances(): Promise<readonly Instance[]> {
    const root = parseJson(Buffer.from((await this.#get("/health")).body));
    const instances = root instanceof JsonObject ? root.get("instances") : undefined;
    return Array.isArray(instances) ? instances.map(instanceOf) : [];
  }

  /** Sends `body` as it is and reads the whole answer. */
  async post(path: string, body: Buffer, headers: Readonly<Record<string, string>> = {}): Promise<FrontendAnswer> {
    const sent = { "content-type": "application/json", ...headers };
    return await this.#request(path, { method: "POST", headers: sent, body });
  }

  assertRunning(): void {
    this.#process.assertRunning();
  }

  async stop(): Promise<void> {
    await this.#agent.destroy();
    await this.#process.end();
  }

  async #get(path: string): Promise<FrontendAnswer> {
    return await this.#request(path, { method: "GET" });
  }

  async #request(path: string, options: Omit<Parameters<typeof request>[1], "dispatcher">): Promise<FrontendAnswer> {
    const response = await request(`http://${this.endpoint}${path}`, { ...options, dispatcher: this.#agent });
    return { status: response.statusCode, body: await response.body.text() };
  }
}

function instanceOf(value: JsonValue): Instance {
  const id = value instanceof JsonObject ? value.get("instance_id") : undefined;
  const namespace = value instanceof JsonObject ? value.get("namespace") : undefined;
  if (!(id instanceof JsonNumber) || typeof namespace !== "string") throw new TypeError("an instance has an id");
  return { id: id.lexeme, namespace };
}
