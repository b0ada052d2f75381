import { choice, noul, score as scoreOf, APIError as TypeSafeAPIError, TypeSafeClient } from "@typesafe-ai/sdk";
import OpenAI from "openai";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { jevBody, modelName, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench } from "../../support/decisions/decision-bench.ts";
import { errorScenarios, scenarioApi } from "../../support/decisions/error-scenarios.ts";
import { score } from "../../support/decisions/scorer.ts";

let bench: DecisionBench;
let openai: OpenAI;
let typesafe: TypeSafeClient;

beforeAll(async () => {
  bench = await DecisionBench.start({ api: scenarioApi, settings: "fleet: { circuit: { badAnswers: 0 } }" });
  openai = new OpenAI({ apiKey: "any", baseURL: `${bench.proxy.url}/v1` });
  typesafe = new TypeSafeClient({ apiKey: "any", baseURL: bench.proxy.url });
}, 60_000);

afterEach(() => {
  bench.scorer.worker.behave = score;
  bench.scorer.worker.seen.length = 0;
});

afterAll(() => bench?.close());

const mutable = <T>(value: T): T => structuredClone(value);
const options = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`);
const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

describe("OpenAI's client for JavaScript", () => {
  it("gets its decisions", async () => {
    const { data, response } = await openai.decisions.create(mutable(openAiBody) as never).withResponse();
    expect(data.model).toBe(modelName);
    const [route, urgent, severity] = data.answers;
    if (route?.type !== "choice" || urgent?.type !== "predicate" || severity?.type !== "score")
      throw new Error("types");
    expect([route.name, urgent.name, severity.name]).toEqual(["route", "urgent", "severity"]);
    expect(sum(route.probabilities.map(({ probability }) => probability))).toBeCloseTo(1, 9);
    expect(severity.probabilities.map(({ label }) => label)).toEqual(["Low", "Moderate", "High"]);
    expect(response.headers.get("x-dynamo-systemone-version")).toBe("1");
  });

  it.each(errorScenarios)("is told: $name", async ({ model, options: count, behave, openai: status, code, asked }) => {
    bench.scorer.worker.behave = behave;
    const choices = options(count).map((value) => ({ value }));
    const body = { model, input: "x", questions: [{ type: "choice", instructions: "k", choices }] };
    const failure = await openai.decisions.create(body as never).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(failure instanceof OpenAI.APIError)) throw new Error("no API error");
    expect(failure).toMatchObject({ status, code, type: code, requestID: expect.stringMatching(/./) });
    expect(bench.scorer.calls).toHaveLength(asked);
  });
});

describe("TypeSafe's client for JavaScript", () => {
  it("gets its decisions, of the model that it asks for when nobody says", async () => {
    const answer = await typesafe.systemOne({
      state: jevBody.state,
      questions: {
        route: choice("Choose the responsible team.", { billing: "Payments", technical: "Software" }),
        urgent: noul("Action is needed today."),
        severity: scoreOf("Rate the impact.", ["Low", "Moderate", "High"]),
      },
    });
    expect(answer.model).toBe(modelName);
    expect(Object.keys(answer.answers)).toEqual(["route", "urgent", "severity"]);
    expect(sum(Object.values(answer.answers.route.probabilities))).toBeCloseTo(1, 9);
    expect(answer.answers.severity.legend).toEqual({ 0: "Low", 1: "Moderate", 2: "High" });
    expect(answer.usage.output_tokens).toBe(0);
  });

  it.each(errorScenarios)("is told: $name", async ({ model, options: count, behave, jev: status, asked }) => {
    bench.scorer.worker.behave = behave;
    const criteria = Object.fromEntries(options(count).map((name) => [name, null]));
    const failure = await typesafe.systemOne({ model, state: "x", questions: { q: choice("k", criteria) } }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (!(failure instanceof TypeSafeAPIError)) throw new Error("no API error");
    expect(failure).toMatchObject({ status, requestId: expect.stringMatching(/./) });
    expect(bench.scorer.calls).toHaveLength(asked);
  });
});
