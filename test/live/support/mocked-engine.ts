import { ensureOraclePython, OracleFolder } from "../../../scripts/oracle/environment.ts";
import { Frontend } from "../../../scripts/oracle/frontend.ts";
import { freePorts } from "../../e2e/support/free-ports.ts";
import { OwnProcess } from "../../e2e/support/own-process.ts";

export interface MockedEngineOptions {
  readonly type: "vllm" | "sglang";
  readonly model: { readonly name: string; readonly folder: string };
  /** Blocks that fit on its device. */
  readonly blocks: number;
}

/** One of Dynamo's simulated engines, a real scheduler and block manager without a model, behind a Dynamo frontend. */
export class MockedEngine {
  readonly #process: OwnProcess;
  readonly #frontend: Frontend;
  readonly #folder: OracleFolder;
  readonly #model: string;
  readonly kvEvents: string;
  readonly kvReplay: string;

  private constructor(process: OwnProcess, frontend: Frontend, folder: OracleFolder, model: string, ports: number[]) {
    this.#process = process;
    this.#frontend = frontend;
    this.#folder = folder;
    this.#model = model;
    [this.kvEvents, this.kvReplay] = ports.map((port) => `tcp://127.0.0.1:${port}`) as [string, string];
  }

  static async start({ type, model, blocks }: MockedEngineOptions): Promise<MockedEngine> {
    const python = await ensureOraclePython();
    const folder = await OracleFolder.make();
    const ports = [...(await freePorts(2))];
    const args = ["-m", "dynamo.mocker", "--model-path", model.folder, "--model-name", model.name];
    args.push("--engine-type", type, "--block-size", "16", "--num-gpu-blocks-override", String(blocks));
    args.push(
      "--speedup-ratio",
      "100",
      "--discovery-backend",
      "file",
      "--request-plane",
      "tcp",
      "--event-plane",
      "zmq",
    );
    args.push("--zmq-kv-events-ports", String(ports[0]), "--zmq-replay-ports", String(ports[1]));
    const process = await OwnProcess.start({ name: "mocker", file: python, args, env: folder.environment });
    const frontend = await Frontend.start({ python, folder, routerMode: "round-robin" });
    await frontend.ready([model.name], 1);
    return new MockedEngine(process, frontend, folder, model.name, ports);
  }

  /** Has a prompt of token ids computed, with a few tokens of answer. */
  async complete(tokenIds: readonly number[]): Promise<void> {
    const body = { model: this.#model, prompt: tokenIds, max_tokens: 2, ignore_eos: true };
    const { status, body: answer } = await this.#frontend.post("/v1/completions", Buffer.from(JSON.stringify(body)));
    if (status !== 200) throw new Error(`the engine answered ${status}: ${answer}\n${this.#process.tail()}`);
  }

  async stop(): Promise<void> {
    await this.#frontend.stop();
    await this.#process.end();
    await this.#folder.remove();
  }
}
