import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { jevBody, modelName, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench, parsed } from "../../support/decisions/decision-bench.ts";
import { bodyOf, type SeenCall, score } from "../../support/decisions/scorer.ts";

interface QwenVectors {
  readonly questions: readonly {
    readonly question: string;
    readonly prompt_ids: readonly number[];
    readonly label_ids: readonly number[];
  }[];
}

interface Projection {
  readonly name: string;
  readonly response_text: string;
}

function fixture<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(`../../fixtures/decisions/${name}.json`, import.meta.url), "utf8")) as T;
}

const { questions: qwen } = fixture<QwenVectors>("qwen3-labels");
const projections = fixture<{ readonly cases: readonly Projection[] }>("project").cases;

let bench: DecisionBench;

beforeAll(async () => {
  bench = await DecisionBench.start();
}, 60_000);

afterEach(() => {
  bench.scorer.worker.behave = score;
  bench.scorer.worker.seen.length = 0;
});

afterAll(() => bench?.close());

/** The scores of the vectors, by the number of candidates and the first label. */
function scoreAsVectors(): void {
  const byLabel = new Map(qwen.map(({ label_ids }, at) => [label_ids[0], logprobs[at]]));
  bench.scorer.worker.behave = (response, request) => {
    const { token_ids_logprob } = bodyOf(request) as SeenCall;
    score(response, request, { logprobs: byLabel.get(token_ids_logprob[0] as number) ?? [] });
  };
}

const logprobs = [
  [-0.2, -1.9],
  [-0.3, -1.4],
  [-3, -2, -1],
];

const inputTokens = qwen.reduce((sum, { prompt_ids }) => sum + prompt_ids.length, 0);

describe("a decision", () => {
  it("asks for the tokens that Qwen3 has for its prompts and labels", async () => {
    await bench.decisions(openAiBody);
    const asked = bench.scorer.calls.map(({ input_ids, token_ids_logprob }) => ({ input_ids, token_ids_logprob }));
    const expected = qwen.map(({ prompt_ids, label_ids }) => ({ input_ids: prompt_ids, token_ids_logprob: label_ids }));
    expect(asked).toHaveLength(3);
    expect(asked[0]).toEqual(expected[0]);
    expect(asked).toEqual(expect.arrayContaining(expected));
  });

  it("is put to /generate in one form alone", async () => {
    await bench.decisions(openAiBody, ["x-request-id", "r-1"]);
    const [first] = bench.scorer.calls;
    expect(first).toEqual({
      input_ids: qwen[0]?.prompt_ids,
      sampling_params: {
        max_new_tokens: 0,
        temperature: 1,
        top_p: 1,
        top_k: -1,
        min_p: 0,
        frequency_penalty: 0,
        presence_penalty: 0,
        repetition_penalty: 1,
        n: 1,
      },
      return_logprob: true,
      return_text_in_logprobs: false,
      token_ids_logprob: qwen[0]?.label_ids,
      cache_salt: expect.stringMatching(/^[\w-]{22}$/),
      stream: true,
      rid: expect.stringMatching(/^[\w-]{36}-000$/),
    });
    expect(bench.scorer.calls.map(({ rid }) => rid.slice(-4)).toSorted()).toEqual(["-000", "-001", "-002"]);
  });

  it.each([
    { route: "decisions" as const, body: openAiBody, name: "openai full", usage: "openai" },
    { route: "systemone" as const, body: jevBody, name: "jev full", usage: "jev" },
  ])("on $route has the vectors' answer, byte for byte", async ({ route, body, name }) => {
    scoreAsVectors();
    const answer = await bench[route](body);
    const expected = projections.find((each) => each.name === name)?.response_text ?? "";
    const usage =
      route === "decisions"
        ? `{"input_tokens":${inputTokens},"output_tokens":0,"total_tokens":${inputTokens},"input_tokens_details":{"cached_tokens":0,"cache_write_tokens":0},"output_tokens_details":{"reasoning_tokens":0}}`
        : `{"input_tokens":${inputTokens},"output_tokens":0}`;
    expect(answer.body.toString()).toBe(expected.replace(/"usage":.*$/, `"usage":${usage}}`));
    expect(answer.headers).toMatchObject({ "content-type": "application/json", "x-dynamo-systemone-version": "1" });
  });

  it("tells the sum of the cached tokens that were measured", async () => {
    bench.scorer.worker.behave = (response, request) => score(response, request, { cachedTokens: 16 });
    expect(parsed(await bench.decisions(openAiBody))).toMatchObject({
      usage: { input_tokens_details: { cached_tokens: 48, cache_write_tokens: 0 } },
    });
  });

  it("names the model itself, whichever alias was asked for", async () => {
    for (const model of ["jev-latest", "qwen", modelName]) {
      expect(parsed(await bench.systemone({ ...jevBody, model }))).toMatchObject({ model: modelName });
    }
  });

  it("keeps the order of ids and options that look like numbers", async () => {
    const body =
      '{"model":"qwen","state":"x","questions":{"z":{"type":"noul","instructions":"k"},"10":{"type":"choice","criteria":{"b":null,"1":null}}}}';
    const text = (await bench.systemone(body)).body.toString();
    expect(text.indexOf('"z"')).toBeLessThan(text.indexOf('"10"'));
    expect(text.indexOf('"b"')).toBeLessThan(text.indexOf('"1":'));
  });

  it("is kept apart from every other in the worker's cache", async () => {
    await bench.decisions(openAiBody);
    await bench.decisions(openAiBody);
    const salts = bench.scorer.calls.map(({ cache_salt }) => cache_salt);
    expect(new Set(salts.slice(0, 3)).size).toBe(1);
    expect(new Set(salts).size).toBe(2);
  });
});

describe("a request's id", () => {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  const older = "0b0e3a54-9a0c-4a3e-8b51-0d5a1f1c2d3e";

  it.each([
    { name: "is the client's own", headers: ["x-request-id", "mine"], id: "mine" },
    { name: "is the older header's, when that is a UUID", headers: ["x-dynamo-request-id", older], id: older },
    { name: "is made where that is none", headers: ["x-dynamo-request-id", "7"], id: expect.stringMatching(uuid) },
    { name: "is made where there is none", headers: [], id: expect.stringMatching(uuid) },
  ])("$name, under both names", async ({ headers, id }) => {
    for (const body of [openAiBody, { model: "m" }]) {
      const answer = await bench.decisions(body, headers);
      expect(answer.headers["x-request-id"]).toEqual(id);
      expect(answer.headers["x-typesafe-request-id"]).toBe(answer.headers["x-request-id"]);
    }
  });
});
