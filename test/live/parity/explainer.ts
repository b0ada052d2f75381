import { PassThrough } from "node:stream";
import { explainCases } from "../../../src/commands/cases.ts";
import type { FrontendSettings, ProfileName } from "../../../src/model/index.ts";
import type { CaseAnswer } from "../../parity/answers.ts";

interface ExplainerOptions {
  /** What the workers tell a Dynamo frontend. */
  readonly frontend?: FrontendSettings | undefined;
  /** The engine's release. Default: the newest that is known. */
  readonly engineVersion?: string | undefined;
}

/** `explain --cases` for one model, kept running: asked one case at a time. */
export class Explainer {
  readonly #input = new PassThrough();
  readonly #answers: AsyncIterator<string>;
  readonly #run: Promise<void>;

  constructor(
    model: string,
    modelDir: string,
    profile: ProfileName = "dynamo",
    { frontend = {}, engineVersion }: ExplainerOptions = {},
  ) {
    const { reasoningParser } = frontend;
    // One chunk a line, as it is written.
    const output = new PassThrough({ objectMode: true });
    this.#answers = output[Symbol.asyncIterator]();
    const options = { modelDir, model, profile, frontend, reasoningParser, engineVersion };
    this.#run = explainCases(options, this.#input, output).finally(() => output.end());
    // Reported to whoever waits for an answer.
    this.#run.catch(() => undefined);
  }

  /** @param raw the exact text of the body, the model's name included */
  async ask(path: string, raw: string): Promise<CaseAnswer> {
    this.#input.write(`${JSON.stringify({ name: "", path, raw })}\n`);
    const line = await this.#answers.next();
    if (line.done === true) {
      await this.#run;
      throw new Error("explain --cases has ended");
    }
    return JSON.parse(line.value) as CaseAnswer;
  }

  async close(): Promise<void> {
    this.#input.end();
    await this.#run;
  }
}
