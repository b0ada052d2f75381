import { PassThrough } from "node:stream";
import { explainCases } from "../../../src/commands/index.ts";
import type { FrontendSettings, ProfileName } from "../../../src/model/index.ts";
import type { CaseAnswer } from "../../parity/answers.ts";

/** `explain --cases` for one model, kept running: asked one case at a time. */
export class Explainer {
  readonly #input = new PassThrough();
  readonly #answers: AsyncIterator<string>;
  readonly #run: Promise<void>;

  constructor(model: string, modelDir: string, profile: ProfileName = "dynamo", frontend: FrontendSettings = {}) {
    const { reasoningParser } = frontend;
    // One chunk a line, as it is written.
    const output = new PassThrough({ objectMode: true });
    this.#answers = output[Symbol.asyncIterator]();
    this.#run = explainCases({ modelDir, model, profile, frontend, reasoningParser }, this.#input, output).finally(() =>
      output.end(),
    );
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
