import { type ChildProcessWithoutNullStreams, execFile, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

export type Engine = "vllm" | "sglang";

/** What an engine's server makes of a request. */
export interface EngineAnswer {
  /** Of every prompt; null when the engine refuses the request. */
  readonly token_ids: readonly (readonly number[])[] | null;
  readonly error: string | null;
}

const here = import.meta.dirname;
const home = process.env["ENGINES_HOME"] ?? join(here, "..", "..", "..", ".cache", "oracle", "engines");

/** Installs the engines' code, when it is not there: 400 MB to download. Not when ENGINES_HOME names another place for it. */
export async function ensureEngines(): Promise<void> {
  if (process.env["ENGINES_HOME"] === undefined) await promisify(execFile)("sh", [join(here, "setup.sh")]);
}

/** An engine's own way from the body of a request to its tokens, for one model: `answer.py`, asked one request at a time. */
export class EngineServer {
  readonly #python: ChildProcessWithoutNullStreams;
  readonly #lines: AsyncIterator<string>;
  #problems = "";

  constructor(engine: Engine, folder: string) {
    const python = process.env["ENGINES_PYTHON"] ?? join(home, "venv", "bin", "python");
    this.#python = spawn(python, [join(here, "answer.py"), engine, folder], {
      env: { ...process.env, ENGINES_HOME: home },
    });
    this.#python.stderr.on("data", (chunk: Buffer) => {
      this.#problems = (this.#problems + chunk.toString("utf8")).slice(-2_000);
    });
    this.#lines = createInterface({ input: this.#python.stdout })[Symbol.asyncIterator]();
  }

  /** @param raw the exact text of the body */
  async ask(path: string, raw: string): Promise<EngineAnswer> {
    this.#python.stdin.write(`${JSON.stringify({ name: "", path, raw })}\n`);
    const line = await this.#lines.next();
    if (line.done === true) throw new Error(`the engine has ended: ${this.#problems}`);
    return JSON.parse(line.value) as EngineAnswer;
  }

  async close(): Promise<void> {
    this.#python.stdin.end();
    if (this.#python.exitCode === null) await new Promise((resolve) => this.#python.once("close", resolve));
  }
}
