import { afterEach, describe, expect, it } from "vitest";
import { type Behaviour, json, reset, sse } from "../../../support/proxy/fake-worker.ts";
import { onlyRequest, PairBench, type PairFleet } from "../../../support/proxy/pair-bench.ts";
import { call } from "../../../support/proxy/raw-client.ts";

const bench = new PairBench();
afterEach(() => bench.close());

function text(type: string, body: string): Behaviour {
  return (response) => {
    response.writeHead(200, { "content-type": type, "content-length": Buffer.byteLength(body) }).end(body);
  };
}

async function ask(
  prefill: Behaviour,
  decode: Behaviour,
  extra: object = {},
  settings = "",
): Promise<{ readonly answer: Awaited<ReturnType<typeof call>>; readonly fleet: PairFleet }> {
  const fleet = await bench.start({ protocol: "sglang", settings });
  fleet.prefill[0]?.answer(prefill);
  fleet.decode[0]?.answer(decode);
  const body = { text: "hi", return_logprob: true, ...extra };
  const answer = await call(fleet.proxy.url, { path: "/generate", body, headers: ["accept-encoding", "gzip"] });
  expect(fleet.proxy.booked).toEqual({ requests: 0, decodeBlocks: 0, prefillTokens: 0 });
  return { answer, fleet };
}

const one = (logprobs: string, more = "") =>
  `{"text":"a", "meta_info":{"x":1.0,"input_token_logprobs":${logprobs}}${more}}`;

describe("an answer with the prompt's logprobs", () => {
  it.each([
    ["both know some", "[[-0.5,1,null]]", "[[-1.50,2,null]]", "[[-0.5,1,null],[-1.50,2,null]]"],
    ["the decode worker knows none", "[[-0.5,1,null], [-0.25,3,null]]", "[]", "[[-0.5,1,null], [-0.25,3,null]]"],
    ["the prefill worker knows none", "[]", "[[1,2,null]]", "[[1,2,null]]"],
    ["the prefill worker has no array", "null", "[[1,2,null]]", "[[1,2,null]]"],
  ])("has the prefill worker's before the decode worker's: %s", async (_, first, second, both) => {
    const { answer, fleet } = await ask(
      text("application/json", one(first)),
      text("application/json", one(second, ',"z":9')),
    );
    expect([answer.status, answer.isWhole]).toEqual([200, true]);
    expect(answer.body.toString()).toBe(one(both, ',"z":9'));
    for (const worker of [fleet.prefill[0], fleet.decode[0]]) {
      expect(onlyRequest(worker).rawHeaders.join("\n").toLowerCase()).toContain("accept-encoding\nidentity");
    }
  });

  it("of a batch has each prompt's", async () => {
    const [first, second] = [`[${one("[1]")},${one("[2]")}]`, `[${one("[3]")}, ${one("[4]")}]`];
    const { answer } = await ask(text("application/json", first), text("application/json", second), {
      text: ["a", "b"],
    });
    expect(answer.body.toString()).toBe(`[${one("[1,3]")}, ${one("[2,4]")}]`);
  });

  it("in a stream has them in every event that has the field", async () => {
    const event = (logprobs: string, more = "") => `data: ${one(logprobs, more)}\n\n`;
    const decode: Behaviour = (response) => {
      sse(response);
      const stream = `${event("[3]", ',"index":0')}${event("[4]", ',"index":1')}data: {"text":"b"}\n\n${event("[3,5]")}data: [DONE]\n\n`;
      // Cut within an event: what is read is events, not chunks.
      response.write(stream.slice(0, 30));
      setImmediate(() => response.end(stream.slice(30)));
    };
    const { answer } = await ask(
      text("text/event-stream", `${event("[1]", ',"index":0')}${event("[2]", ',"index":1')}data: [DONE]\n\n`),
      decode,
      { stream: true },
    );
    expect(answer.body.toString()).toBe(
      `${event("[1,3]", ',"index":0')}${event("[2,4]", ',"index":1')}data: {"text":"b"}\n\n${event("[1,3,5]")}data: [DONE]\n\n`,
    );
  });

  it("keeps the words of a refusal", async () => {
    const { answer } = await ask(
      (response) => json(response, 400, { input_token_logprobs: [1] }),
      text("application/json", one("[1]")),
    );
    expect([answer.status, answer.body.toString()]).toEqual([400, '{"input_token_logprobs":[1]}']);
    const other = await ask(text("application/json", one("[1]")), (response) => json(response, 429, { meta_info: {} }));
    expect([other.answer.status, other.answer.body.toString()]).toEqual([429, '{"meta_info":{}}']);
  });

  it("that is too long fails once, though more of it was held than one piece", async () => {
    const settings = "proxy: { maxPrefillAnswerBytes: 1024, retries: { maxAttempts: 10 } }";
    const fleet = await bench.start({ protocol: "sglang", prefill: 2, decode: 2, settings });
    const behaveAs = (workers: typeof fleet.decode, behaviour: Behaviour) => {
      for (const worker of workers) worker.answer(behaviour);
    };
    behaveAs(fleet.decode, text("application/json", one("[1]", `,"y":"${"x".repeat(400_000)}"`)));
    behaveAs(fleet.prefill, (response) => {
      setTimeout(() => json(response, 200, { ok: true }), 200);
    });
    const answer = await call(fleet.proxy.url, { path: "/generate", body: { text: "hi", return_logprob: true } });
    expect(answer.status).toBe(502);
    expect(fleet.decode.map(({ seen }) => seen.length)).toEqual([1, 1]);
    expect(fleet.proxy.booked).toEqual({ requests: 0, decodeBlocks: 0, prefillTokens: 0 });
  });

  it.each([
    [
      "prefill",
      text("application/json", one("[1]", `,"y":"${"x".repeat(2_000)}"`)),
      text("application/json", one("[1]")),
    ],
    [
      "decode",
      text("application/json", one("[1]")),
      text("application/json", one("[1]", `,"y":"${"x".repeat(2_000)}"`)),
    ],
    ["cut prefill", (response) => reset(response), text("application/json", one("[1]"))],
  ] as const satisfies readonly (readonly [string, Behaviour, Behaviour])[])(
    "that cannot be read is a failure of the worker: %s",
    async (_, first, second) => {
      const { answer } = await ask(first, second, {}, "proxy: { maxPrefillAnswerBytes: 1024 }");
      expect(answer.status).toBe(502);
    },
  );
});
