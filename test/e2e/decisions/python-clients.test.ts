import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { jevBody, modelName, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench } from "../../support/decisions/decision-bench.ts";
import { errorScenarios, scenarioApi } from "../../support/decisions/error-scenarios.ts";
import { score } from "../../support/decisions/scorer.ts";

const root = join(import.meta.dirname, "../../..");
const bin = join(root, ".cache/python-sdks/bin");

let bench: DecisionBench;
let clients: PythonClients;

beforeAll(async () => {
  execFileSync(join(root, "scripts/setup-python-sdks.sh"), { stdio: ["ignore", "ignore", "inherit"] });
  bench = await DecisionBench.start({ api: scenarioApi, settings: "fleet: { circuit: { badAnswers: 0 } }" });
  clients = new PythonClients(bench.proxy.url);
}, 300_000);

afterEach(() => {
  bench.scorer.worker.behave = score;
  bench.scorer.worker.seen.length = 0;
});

afterAll(async () => {
  clients?.close();
  await bench?.close();
});

/** A process that calls with Python's clients. */
class PythonClients {
  readonly #url: string;
  readonly #process = spawn(join(bin, "python"), [join(import.meta.dirname, "clients.py")], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  readonly #lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();

  constructor(url: string) {
    this.#url = url;
  }

  async call(client: "openai" | "typesafe", request: object): Promise<unknown> {
    this.#process.stdin.write(`${JSON.stringify({ client, url: this.#url, request })}\n`);
    const { value } = await this.#lines.next();
    return JSON.parse(value as string) as unknown;
  }

  close(): void {
    this.#process.stdin.end();
  }
}

const options = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`);
const { chat_template_kwargs: _, ...jevRequest } = jevBody;

describe("OpenAI's client for Python", () => {
  it("gets its decisions", async () => {
    const answer = await clients.call("openai", openAiBody);
    expect(answer).toMatchObject({
      request_id: expect.stringMatching(/./),
      ok: {
        model: modelName,
        answers: [
          { type: "choice", name: "route" },
          { type: "predicate", name: "urgent" },
          { type: "score", name: "severity" },
        ],
        usage: { output_tokens: 0 },
      },
    });
  });

  it.each(errorScenarios)("is told: $name", async ({ model, options: count, behave, openai: status, code, asked }) => {
    bench.scorer.worker.behave = behave;
    const choices = options(count).map((value) => ({ value }));
    const questions = [{ type: "choice", instructions: "k", choices }];
    const answer = await clients.call("openai", { model, input: "x", questions });
    expect(answer).toMatchObject({ status, code, type: code, request_id: expect.stringMatching(/./) });
    expect(bench.scorer.calls).toHaveLength(asked);
  });
});

describe("TypeSafe's client for Python", () => {
  it("gets its decisions, of the model that it asks for when nobody says", async () => {
    const { model: _model, ...request } = jevRequest;
    expect(await clients.call("typesafe", request)).toMatchObject({
      ok: {
        model: modelName,
        answers: {
          route: { type: "choice" },
          urgent: { type: "noul" },
          severity: { type: "score", legend: { 0: "Low", 1: "Moderate", 2: "High" } },
        },
      },
    });
  });

  it.each(errorScenarios)("is told: $name", async ({ model, options: count, behave, jev: status, asked }) => {
    bench.scorer.worker.behave = behave;
    const criteria = Object.fromEntries(options(count).map((name) => [name, null]));
    const questions = { q: { type: "choice", instructions: "k", criteria } };
    const answer = await clients.call("typesafe", { model, state: "x", questions });
    expect(answer).toMatchObject({ status, request_id: expect.stringMatching(/./) });
    expect(bench.scorer.calls).toHaveLength(asked);
  });
});

interface Conformance {
  readonly aborted: unknown;
  readonly results: readonly { readonly id: string; readonly level: string; readonly status: string }[];
}

describe("jevcompat, a third party's conformance suite", () => {
  it("finds what Qwen's tokens do not allow, and where its specification is not the one that is followed here", async () => {
    const folder = await mkdtemp(join(tmpdir(), "jevcompat-"));
    try {
      const report = join(folder, "report.json");
      const run = spawn(join(bin, "jevcompat"), ["test", bench.proxy.url, "--json", report], { stdio: "ignore" });
      await once(run, "exit");
      const { results, aborted } = JSON.parse(readFileSync(report, "utf8")) as Conformance;
      expect(aborted).toBeNull();
      const failed = results.filter(({ status }) => status === "fail").map(({ level, id }) => `${level} ${id}`);
      expect(failed.toSorted()).toEqual([
        // 64 options: two letters are not always one token.
        "MUST choice.options",
        // Its own shapes; TypeSafe's clients read ours.
        "SHOULD errors.shape",
        "SHOULD errors.validation-shape",
        // The list of models is OpenAI's.
        "SHOULD http.models",
      ]);
      expect(results.filter(({ status }) => status === "pass").length).toBeGreaterThan(40);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
