import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { call, chatBody, chatPath, open } from "../../../support/proxy/raw-client.ts";
import { type SimFleet, startSimPairs } from "../../../support/proxy/sim-pairs.ts";

const started: SimFleet[] = [];
afterEach(async () => {
  for (const fleet of started.splice(0)) await fleet.close();
});

async function fleetOf(...[setup]: Parameters<typeof startSimPairs>): Promise<SimFleet> {
  const fleet = await startSimPairs(setup);
  started.push(fleet);
  return fleet;
}

const nothing = { requests: 0, decodeBlocks: 0, prefillTokens: 0 };
const apis = [
  [chatPath, { model: "m", messages: [{ role: "user", content: "hi" }], max_tokens: 5 }],
  ["/v1/completions", { model: "m", prompt: "hi", max_tokens: 5 }],
  ["/v1/responses", { model: "m", input: "hi", max_output_tokens: 5 }],
  ["/v1/messages", { model: "m", messages: [{ role: "user", content: "hi" }], max_tokens: 5 }],
] as const;

describe.each(["sglang", "nixl"] as const)("simulated workers that speak %s and are strict about it", (protocol) => {
  it.each(apis)("serve %s, whole and as a stream, the decode worker answering", async (path, body) => {
    const { prefill, decode, proxy } = await fleetOf({ protocol, prefill: 2, decode: 2, options: { timeScale: 0 } });
    for (const stream of [false, true]) {
      const answer = await call(proxy.url, { path, body: { ...body, stream } });
      expect([answer.status, answer.isWhole, /"error":\s*[{"]/.test(answer.body.toString())]).toEqual([
        200,
        true,
        false,
      ]);
      expect(decode.map(({ name }) => name)).toContain(answer.headers["x-sim-worker"]);
    }
    const outputs = decode.flatMap((worker) => worker.requests().map(({ outputTokens }) => outputTokens));
    expect(outputs).toEqual([5, 5]);
    const own = prefill.flatMap((worker) => worker.requests().filter(({ target }) => target === path));
    expect(own.map(({ outputTokens, outcome }) => [outputTokens, outcome])).toEqual([
      [1, "completed"],
      [1, "completed"],
    ]);
    for (const worker of [...prefill, ...decode]) expect(worker.stats().pairsWaiting).toBe(0);
    expect(proxy.booked).toEqual(nothing);
    expect(await proxy.metric(`pointsman_proxy_splits_total{protocol="${protocol}",outcome="split"}`)).toBe(2);
  });

  it("serve several sequences", async () => {
    const { proxy } = await fleetOf({ protocol, prefill: 1, decode: 1, options: { timeScale: 0 } });
    const prompts = await call(proxy.url, {
      path: "/v1/completions",
      body: { model: "m", prompt: ["a", "b"], max_tokens: 2 },
    });
    expect([prompts.status, JSON.parse(prompts.body.toString()).choices?.length]).toEqual([200, 2]);
    expect((await call(proxy.url, { body: chatBody({ n: 3 }) })).status).toBe(200);
    expect(proxy.booked).toEqual(nothing);
  });

  it("leave nothing behind when some of them are killed under 200 streams", async () => {
    const { prefill, decode, proxy } = await fleetOf({
      protocol,
      prefill: 3,
      decode: 3,
      options: { defaultOutputTokens: 40, interTokenMs: 10, prefillMode: "parallel" },
      settings: "proxy: { retries: { maxAttempts: 4, budgetRatio: 10 } }",
    });
    let began = 0;
    const half = Promise.withResolvers<void>();
    const read = async () => {
      const response = await open(proxy.url, { body: chatBody({ stream: true }) });
      let text = "";
      for await (const chunk of response) {
        if (text === "" && ++began === 100) half.resolve();
        text += String(chunk);
      }
      return { status: response.statusCode, isWhole: response.complete, text };
    };
    const all = Promise.all(Array.from({ length: 200 }, read));
    await half.promise;
    await Promise.all([prefill[0]?.close(0), decode[0]?.close(0)]);
    const answers = await all;
    // Each client gets an answer that ends as HTTP and its API say: whole, with an error event, or an error of its own.
    for (const { status, isWhole, text } of answers) {
      expect(isWhole).toBe(true);
      if (status === 200) expect(text).toMatch(/data: \[DONE\]\n\n$/);
      else expect([500, 502, 503]).toContain(status);
    }
    expect(answers.filter(({ status, text }) => status === 200 && !text.includes('"error"')).length).toBeGreaterThan(
      60,
    );
    expect(proxy.booked).toEqual(nothing);
    for (const worker of [...prefill.slice(1), ...decode.slice(1)]) {
      await expect.poll(() => [worker.stats().running, worker.stats().waiting]).toEqual([0, 0]);
    }
    expect(await proxy.metric("pointsman_proxy_requests")).toBe(0);
    expect(await proxy.metric("pointsman_proxy_held_body_bytes")).toBe(0);
    const next = await call(proxy.url, { body: chatBody() });
    expect(next.status).toBe(200);
  });

  it("stop when their client leaves", async () => {
    const { prefill, decode, proxy } = await fleetOf({
      protocol,
      prefill: 1,
      decode: 1,
      options: { defaultOutputTokens: 4_000, interTokenMs: 20 },
    });
    const response = await open(proxy.url, { body: chatBody({ stream: true }) });
    await new Promise((resolve) => response.once("data", resolve));
    response.destroy();
    for (const worker of [...prefill, ...decode]) await expect.poll(() => worker.stats().running).toBe(0);
    expect(decode[0]?.requests().map(({ outcome }) => outcome)).toEqual(["aborted"]);
    expect(proxy.booked).toEqual(nothing);
  });
});

describe("the real clients before two simulated SGLang workers", () => {
  it("read whole answers and streams alike", async () => {
    const { proxy } = await fleetOf({ protocol: "sglang", prefill: 1, decode: 1, options: { timeScale: 0 } });
    const openai = new OpenAI({ apiKey: "any", baseURL: `${proxy.url}/v1`, maxRetries: 0 });
    const anthropic = new Anthropic({ apiKey: "any", baseURL: proxy.url, maxRetries: 0 });
    const messages = [{ role: "user" as const, content: "Why is the sky blue?" }];

    const chat = await openai.chat.completions.create({ model: "m", messages });
    let text = "";
    for await (const chunk of await openai.chat.completions.create({ model: "m", messages, stream: true })) {
      text += chunk.choices[0]?.delta.content ?? "";
    }
    expect([text === "", text]).toEqual([false, chat.choices[0]?.message.content]);

    const response = await openai.responses.create({ model: "m", input: "Why?" });
    let [output, status] = ["", ""];
    for await (const event of await openai.responses.create({ model: "m", input: "Why?", stream: true })) {
      if (event.type === "response.output_text.delta") output += event.delta;
      if (event.type === "response.completed") status = event.response.status ?? "";
    }
    expect([output === "", output, status]).toEqual([false, response.output_text, "completed"]);

    const message = await anthropic.messages.create({ model: "m", max_tokens: 8, messages });
    const streamed = await anthropic.messages.stream({ model: "m", max_tokens: 8, messages }).finalMessage();
    expect(streamed.content).toEqual(message.content);
    expect(proxy.booked).toEqual(nothing);
  });
});

describe("a simulated SGLang decode worker", () => {
  it("refuses what has no room, as the engine does", async () => {
    const { decode } = await fleetOf({ protocol: "sglang", prefill: 0, decode: 1 });
    const answer = await call(`http://${decode[0]?.endpoint}`, { body: chatBody() });
    expect(answer.status).toBe(400);
    expect(answer.body.toString()).toContain("Disaggregated request received without bootstrap room id");
  });

  it.each([
    ["a room that is a string", { bootstrap_room: "1" }],
    ["an array for one sequence", { bootstrap_room: [1], bootstrap_host: ["h"], bootstrap_port: [1] }],
    ["a scalar for a batch", { n: 2 }],
    ["no host", { bootstrap_host: null }],
    ["a port that is a string", { bootstrap_port: "8998" }],
    ["two sequences in one room", { n: 2, bootstrap_room: [1, 1], bootstrap_host: ["h", "h"], bootstrap_port: [1, 1] }],
  ])("refuses %s", async (_, extra) => {
    const { decode } = await fleetOf({ protocol: "sglang", prefill: 0, decode: 1 });
    const room = { bootstrap_host: "127.0.0.1", bootstrap_port: 1, bootstrap_room: 1 };
    const answer = await call(`http://${decode[0]?.endpoint}`, { body: chatBody({ ...room, ...extra }) });
    expect(answer.status).toBe(400);
  });
});
