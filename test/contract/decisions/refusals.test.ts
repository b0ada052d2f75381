import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { jevBody, modelName, openAiBody } from "../../support/decisions/bodies.ts";
import { DecisionBench, parsed } from "../../support/decisions/decision-bench.ts";
import { errorRow, shown } from "../../support/decisions/error-rows.ts";
import { call, type RawAnswer } from "../../support/proxy/raw-client.ts";

let bench: DecisionBench;

beforeAll(async () => {
  bench = await DecisionBench.start({ workers: 1, api: "maxBranches: 100" });
}, 60_000);

afterEach(() => {
  bench.scorer.worker.seen.length = 0;
});

afterAll(() => bench?.close());

const choice = (options: number) => ({
  type: "choice",
  criteria: Object.fromEntries(range(options).map((n) => [n, null])),
});
const range = (count: number) => Array.from({ length: count }, (_, at) => `o${at}`);
const oneQuestion = (question: object) => ({ model: modelName, state: "x", questions: { q: question } });
const chosen = (options: number) => ({
  model: modelName,
  input: "x",
  questions: [{ type: "choice", name: "q", instructions: "k", choices: range(options).map((value) => ({ value })) }],
});
const image = [{ role: "user", content: [{ type: "input_image", image_url: "data:image/png;base64,AA==" }] }];
const long = " a".repeat(69_964);

interface Refusal {
  readonly row: string;
  readonly openai: readonly [body: object | string | Buffer, headers?: readonly string[]];
  readonly jev: readonly [body: object | string | Buffer, headers?: readonly string[]];
}

const refusals: readonly Refusal[] = [
  {
    row: "content-type missing",
    openai: ["{", ["content-type", "text/plain"]],
    jev: [jevBody, ["content-type", "application/x-www-form-urlencoded"]],
  },
  { row: "body over 4 MiB", openai: [Buffer.alloc(4_194_305, 0x20)], jev: [Buffer.alloc(4_194_305, 0x20)] },
  {
    row: "malformed JSON",
    openai: ["{"],
    jev: ['{"model":"a","mod\\u0065l":"b","state":"x","questions":{"q":{"type":"noul","instructions":"k"}}}'],
  },
  { row: "nvext present", openai: [{ ...openAiBody, nvext: null }], jev: [{ ...jevBody, nvext: {} }] },
  { row: "schema violation", openai: [{ ...openAiBody, stream: false }], jev: [{ ...jevBody, model: undefined }] },
  { row: "image / thinking", openai: [{ ...openAiBody, input: image }], jev: [{ ...jevBody, images: ["x"] }] },
  { row: "unknown model", openai: [{ ...openAiBody, model: "n" }], jev: [{ ...jevBody, model: "n" }] },
  { row: "model known but not", openai: [{ ...openAiBody, model: "other" }], jev: [{ ...jevBody, model: "lora" }] },
  {
    row: "cumulative prompt",
    openai: [{ ...openAiBody, input: long, questions: openAiBody.questions.slice(1, 2) }],
    jev: [{ ...oneQuestion({ type: "noul", instructions: "Action is needed today." }), state: long }],
  },
  { row: "label not one token", openai: [chosen(43)], jev: [oneQuestion(choice(43))] },
];

const withoutNumbers = (value: unknown) => JSON.parse(JSON.stringify(value).replace(/\d{5}/, "N")) as unknown;

describe("a refused request reaches no worker, and is told why:", () => {
  it.each(refusals)("$row", async ({ row, openai, jev }) => {
    const expected = errorRow(row);
    const answers = [await bench.decisions(...openai), await bench.systemone(...jev)];
    expect(answers.map(shown).map(withoutNumbers)).toEqual([expected.openai, expected.systemone].map(withoutNumbers));
    for (const answer of answers) expectIds(answer);
    expect(bench.seen).toBe(0);
  });

  it("a body without a content type", async () => {
    const answer = await call(bench.proxy.url, { path: "/v1/decisions", headers: ["content-type", ""], body: "{" });
    expect(answer.status).toBe(415);
  });

  it("an encoded body", async () => {
    const answer = await bench.systemone(jevBody, ["content-encoding", "gzip", "content-type", "application/json"]);
    expect([answer.status, bench.seen]).toEqual([415, 0]);
  });

  it.each(["application/json", "Application/JSON; charset=utf-8", " application/json ;x=y"])(
    "not for the content type %s",
    async (type) => {
      expect((await bench.decisions(openAiBody, ["content-type", type])).status).toBe(200);
    },
  );

  it("a request for more branches than there may be", async () => {
    const body = { ...openAiBody, questions: Array.from({ length: 101 }, () => openAiBody.questions[1]) };
    const answer = await bench.decisions(body);
    expect(parsed(answer)).toMatchObject({
      error: { message: "request needs 101 branches; the System One branch limit is 100" },
    });
    expect([answer.status, answer.headers["retry-after"]]).toEqual([400, undefined]);
  });

  it("a body whose prompts are too long together", async () => {
    const questions = Array.from({ length: 100 }, () => openAiBody.questions[1]);
    const answer = await bench.decisions({ ...openAiBody, input: "word ".repeat(40_000), questions });
    expect([answer.status, parsed(answer)]).toMatchObject([400, { error: { code: "invalid_request_error" } }]);
    expect(bench.seen).toBe(0);
  });

  it.each([
    { name: "units", word: "word " },
    { name: "bytes", word: "日本語 " },
  ])("a text that no prompt can be made of, before it is: too many $name", async ({ word }) => {
    const answer = await bench.systemone({ ...jevBody, state: word.repeat(1_048_576 / Buffer.byteLength(word)) });
    expect(parsed(answer)).toMatchObject({
      detail: [{ msg: "a prompt of the request has over 1048576 bytes of text; that is the System One limit" }],
    });
    expect([answer.status, bench.seen]).toEqual([422, 0]);
  });

  it("a body of very many values, before it is read", async () => {
    const answer = await bench.systemone({ ...jevBody, state: Array.from({ length: 32_768 }, () => 1) });
    expect(parsed(answer)).toMatchObject({
      detail: [{ msg: "request has over 32768 JSON values; that is the System One limit" }],
    });
    expect(shown(await bench.decisions(`{"model":"m","input":[${"1,".repeat(2_000_000)}`))).toEqual(
      errorRow("malformed JSON").openai,
    );
    expect(bench.seen).toBe(0);
  });

  it("42 options are scored, one token each", async () => {
    expect((await bench.systemone(oneQuestion(choice(42)))).status).toBe(200);
    expect(new Set(bench.scorer.calls[0]?.token_ids_logprob).size).toBe(42);
  });

  it("another method", async () => {
    const answer = await call(bench.proxy.url, { method: "GET", path: "/v1/systemone" });
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "POST"]);
    expectIds(answer);
  });
});

function expectIds({ headers }: RawAnswer): void {
  expect(headers["x-request-id"]).toMatch(/./);
  expect(headers["x-typesafe-request-id"]).toBe(headers["x-request-id"]);
  expect(headers["x-dynamo-systemone-version"]).toBeUndefined();
}
