import { createHash } from "node:crypto";
import { request as httpRequest } from "node:http";
import OpenAI from "openai";
import { afterEach, describe, expect, it } from "vitest";
import { type SimWorker, type SimWorkerOptions, startSimWorker } from "../../../src/sim-worker/index.ts";
import { until } from "./until.ts";

const started: SimWorker[] = [];

async function start(options: SimWorkerOptions = {}): Promise<SimWorker> {
  const worker = await startSimWorker({ timeScale: 0, blockSize: 4, ...options });
  started.push(worker);
  return worker;
}

afterEach(async () => {
  await Promise.all(started.splice(0).map((worker) => worker.close(0)));
});

function clientOf(worker: SimWorker): OpenAI {
  return new OpenAI({ apiKey: "none", baseURL: `http://${worker.endpoint}/v1`, maxRetries: 0 });
}

async function post(worker: SimWorker, path: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return await fetch(`http://${worker.endpoint}${path}`, { method: "POST", body: text, headers });
}

const question = { role: "user" as const, content: "How long is the river at the northern station?" };

describe("answers, as OpenAI's own client reads them", () => {
  it("chat: the second time the prompt is cached", async () => {
    const client = clientOf(await start());
    const ask = () => client.chat.completions.create({ model: "m", messages: [question], max_tokens: 5 });
    const first = await ask();
    const second = await ask();
    const prompt = first.usage?.prompt_tokens ?? 0;
    expect(first.usage).toEqual({
      prompt_tokens: prompt,
      completion_tokens: 5,
      total_tokens: prompt + 5,
      prompt_tokens_details: { cached_tokens: 0 },
    });
    expect(second.usage?.prompt_tokens_details?.cached_tokens).toBe(Math.floor((prompt - 1) / 4) * 4);
    expect(second.choices[0]?.message.content).toBe(first.choices[0]?.message.content);
    expect(second.choices[0]?.finish_reason).toBe("length");
  });

  it("chat stream: the chunks add up to the answer, usage only when asked for", async () => {
    const client = clientOf(await start());
    const body = { model: "m", messages: [question], max_completion_tokens: 4 };
    const whole = await client.chat.completions.create(body);
    const stream = await client.chat.completions.create({
      ...body,
      stream: true,
      stream_options: { include_usage: true },
    });
    let text = "";
    let usage: OpenAI.CompletionUsage | null | undefined;
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? "";
      usage = chunk.usage ?? usage;
    }
    expect(text).toBe(whole.choices[0]?.message.content);
    expect(usage?.completion_tokens).toBe(4);
    for await (const chunk of await client.chat.completions.create({ ...body, stream: true })) {
      expect(chunk.usage).toBeUndefined();
    }
  });

  it("completions: every prompt of a batch gets its choice", async () => {
    const client = clientOf(await start());
    const answer = await client.completions.create({ model: "m", prompt: ["first one", "second one"], max_tokens: 3 });
    expect(answer.choices.map(({ index }) => index)).toEqual([0, 1]);
    expect(answer.usage?.completion_tokens).toBe(6);
    const stream = await client.completions.create({
      model: "m",
      prompt: ["first one", "second one"],
      max_tokens: 3,
      stream: true,
    });
    const texts = ["", ""];
    for await (const chunk of stream) {
      for (const choice of chunk.choices) texts[choice.index] += choice.text;
    }
    expect(texts).toEqual(answer.choices.map((choice) => choice.text));
  });

  it("responses: JSON, and events that the client assembles to the same", async () => {
    const client = clientOf(await start());
    const body = { model: "m", instructions: "Be brief.", input: "How long is it?", max_output_tokens: 6 };
    const whole = await client.responses.create(body);
    const stream = client.responses.stream(body);
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    const final = await stream.finalResponse();
    expect(final.output_text).toBe(whole.output_text);
    expect(final.usage).toMatchObject({ output_tokens: 6, input_tokens: whole.usage?.input_tokens });
    expect(final.usage?.input_tokens_details.cached_tokens).toBeGreaterThan(0);
    expect(types.filter((type) => type !== "response.output_text.delta")).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.content_part.added",
      "response.output_text.done",
      "response.content_part.done",
      "response.output_item.done",
      "response.completed",
    ]);
  });

  it("embeddings and models", async () => {
    const client = clientOf(await start({ models: ["a", "b"] }));
    const embeddings = await client.embeddings.create({ model: "a", input: ["x", "y"], encoding_format: "float" });
    expect(embeddings.data.map(({ index, embedding }) => [index, embedding.length])).toEqual([
      [0, 8],
      [1, 8],
    ]);
    expect((await client.models.list()).data.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  it("errors carry a message in OpenAI's form", async () => {
    const client = clientOf(await start());
    const ask = client.chat.completions.create({ model: "m", messages: [question], max_tokens: 0 });
    await expect(ask).rejects.toMatchObject({ status: 400, message: expect.stringContaining("max_tokens") });
  });
});

describe("what arrives", () => {
  it("takes the tokens of nvext.token_data as the prompt", async () => {
    const worker = await start();
    const body = {
      model: "m",
      messages: [question],
      max_tokens: 1,
      nvext: { token_data: [1, 2, 3, 4, 5, 6, 7, 8, 9] },
    };
    await post(worker, "/v1/chat/completions", body);
    const answer = await (await post(worker, "/v1/chat/completions", body)).json();
    expect(answer).toMatchObject({ usage: { prompt_tokens: 9, prompt_tokens_details: { cached_tokens: 8 } } });
    expect(worker.requests().map(({ tokenSource }) => tokenSource)).toEqual(["token_data", "token_data"]);
  });

  it("counts the tokens of a message that says nothing of its answer, as Anthropic's clients send it", async () => {
    const asked: string[] = [];
    const worker = await start({
      tokenize: (path, body) => {
        asked.push(`${path} ${body}`);
        return Uint32Array.of(1, 2, 3);
      },
    });
    const messages = [{ role: "user", content: "x" }];
    for (const more of [{}, { max_tokens: 5 }]) {
      const answer = await post(worker, "/v1/messages/count_tokens", { model: "m", messages, ...more });
      expect(await answer.json()).toEqual({ input_tokens: 3 });
    }
    const said = '/v1/messages {"model":"m","messages":[{"role":"user","content":"x"}],"max_tokens":';
    expect(asked).toEqual([`${said}1}`, `${said}5}`]);
    expect((await post(worker, "/v1/messages/count_tokens", "{")).status).toBe(400);
  });

  it("asks the given tokenizer otherwise, and shows its refusal", async () => {
    const worker = await start({
      tokenize: (path, body) => {
        if (body.includes("refuse")) throw new Error("messages[0].content is not for me");
        return Uint32Array.from([path.length, body.length]);
      },
    });
    const taken = await post(worker, "/v1/completions?x=1", { model: "m", prompt: "p" });
    expect(await taken.json()).toMatchObject({ usage: { prompt_tokens: 2 } });
    const refused = await post(worker, "/v1/completions", { model: "m", prompt: "refuse" });
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { error: { message: "messages[0].content is not for me" } },
    ]);
  });

  it("keeps tenants apart: header before nvext before the body's own salt", async () => {
    const worker = await start();
    const ask = async (salts: object, headers: Record<string, string> = {}) => {
      const body = { model: "m", prompt: "a prompt of more than one block", max_tokens: 1, ...salts };
      const answer = (await (await post(worker, "/v1/completions", body, headers)).json()) as OpenAI.Completion;
      return answer.usage?.prompt_tokens_details?.cached_tokens ?? 0;
    };
    expect(await ask({ cache_salt: "t" })).toBe(0);
    expect(await ask({})).toBe(0);
    expect(await ask({ cache_salt: "u", nvext: { cache_salt: "t" } })).toBeGreaterThan(0);
    expect(await ask({ nvext: { cache_salt: "u" } }, { "x-tenant-id": "t" })).toBeGreaterThan(0);
  });

  it("records headers, trailers and the body's bytes", async () => {
    const worker = await start({ recordedBodyBytes: 5 });
    const body = Buffer.from(JSON.stringify({ model: "m", prompt: "caf\u00e9 \u{1f600}" }));
    await new Promise<void>((resolve, reject) => {
      const [host, port] = worker.endpoint.split(":");
      const headers = { "X-Odd": "1", Trailer: "x-checksum", "transfer-encoding": "chunked" };
      const sent = httpRequest({ host, port, method: "POST", path: "/v1/completions?q=1", headers }, (response) => {
        response.resume().on("end", resolve);
      });
      sent.on("error", reject);
      sent.addTrailers({ "x-checksum": "abc" });
      sent.write(body.subarray(0, 7));
      sent.end(body.subarray(7));
    });
    const [record] = worker.requests();
    expect(record).toMatchObject({
      target: "/v1/completions?q=1",
      trailers: [["x-checksum", "abc"]],
      bodyBytes: body.length,
      bodySha256: createHash("sha256").update(body).digest("hex"),
      bodyHeadBase64: body.toString("base64", 0, 5),
      status: 200,
      outcome: "completed",
    });
    expect(record?.headers).toContainEqual(["X-Odd", "1"]);
  });

  it("remembers only the last requests, and shows them over HTTP", async () => {
    const worker = await start({ recordedRequests: 3 });
    for (let count = 0; count < 5; count += 1) await post(worker, "/v1/completions", { model: "m", prompt: "p" });
    const page = (await (await fetch(`http://${worker.endpoint}/sim/requests?limit=2`)).json()) as {
      requests: object[];
    };
    expect(page.requests).toMatchObject([{ sequence: 4 }, { sequence: 5 }]);
    expect(worker.requests()).toHaveLength(3);
  });

  it("tells over HTTP what runs and what it holds", async () => {
    const worker = await start({ blockSize: 4 });
    await post(worker, "/v1/completions", { model: "m", prompt: "p".repeat(64) });
    const told = await (await fetch(`http://${worker.endpoint}/sim/stats`)).json();
    expect(told).toEqual(worker.stats());
    expect(told).toMatchObject({ running: 0, cachedBlocks: 4, blocksInUse: 0 });
  });

  it("takes a body of 20 MB", async () => {
    const worker = await start();
    const body = JSON.stringify({ model: "m", messages: [{ role: "user", content: "x".repeat(20_000_000) }] });
    const answer = await post(worker, "/v1/chat/completions", body);
    expect(answer.status).toBe(200);
    expect(worker.requests()[0]).toMatchObject({ bodySha256: createHash("sha256").update(body).digest("hex") });
  });

  it("refuses a body that is too long, in words", async () => {
    const worker = await start({ maxBodyBytes: 1000 });
    const answer = await post(worker, "/v1/completions", { model: "m", prompt: "x".repeat(2000) });
    expect(answer.status).toBe(413);
    expect(worker.requests()[0]?.outcome).toBe("refused");
  });

  it.each(["", "{", "[]", '{"model":"m"}', '{"prompt":"x"}', '{"model":"m","prompt":"x","nvext":{"token_data":[-1]}}'])(
    "answers 400 to %o",
    async (body) => {
      const worker = await start();
      expect((await post(worker, "/v1/completions", body)).status).toBe(400);
      expect(worker.stats().running).toBe(0);
    },
  );

  it("survives a client that leaves in the middle of its body", async () => {
    const worker = await start();
    const [host, port] = worker.endpoint.split(":");
    const headers = { "content-length": "100" };
    const sent = httpRequest({ host, port, method: "POST", path: "/v1/completions", headers });
    sent.on("error", () => undefined);
    sent.write("{");
    await until(() => worker.requests().length === 1);
    sent.destroy();
    await until(() => worker.requests()[0]?.outcome === "aborted");
    expect((await fetch(`http://${worker.endpoint}/health`)).status).toBe(200);
  });

  it("answers 404 on odd targets", async () => {
    const worker = await start();
    const [host, port] = worker.endpoint.split(":");
    const status = await new Promise((resolve, reject) => {
      const sent = httpRequest({ host, port, path: "//" }, (response) => resolve(response.resume().statusCode));
      sent.on("error", reject).end();
    });
    expect(status).toBe(404);
  });

  it("answers 404 on other paths", async () => {
    const worker = await start();
    expect((await post(worker, "/v1/audio", {})).status).toBe(404);
    expect((await fetch(`http://${worker.endpoint}/v1/none`)).status).toBe(404);
  });
});

describe("state", () => {
  it("says its name with every answer", async () => {
    const worker = await start({ name: "w7" });
    expect((await fetch(`http://${worker.endpoint}/health`)).headers.get("x-sim-worker")).toBe("w7");
  });

  it("counts in vLLM's metrics", async () => {
    const worker = await start({ gpuBlocks: 100, models: ['a"b'] });
    for (let count = 0; count < 2; count += 1) {
      await post(worker, "/v1/completions", {
        model: "m",
        prompt: Array.from({ length: 10 }, (_, id) => id),
        max_tokens: 2,
      });
    }
    const page = await (await fetch(`http://${worker.endpoint}/metrics`)).text();
    const labels = '{engine="0",model_name="a\\"b"}';
    expect(page).toContain(`vllm:prefix_cache_queries_total${labels} 20\n`);
    expect(page).toContain(`vllm:prefix_cache_hits_total${labels} 8\n`);
    expect(page).toContain(`vllm:generation_tokens_total${labels} 4\n`);
    expect(page).toContain(`vllm:num_requests_running${labels} 0\n`);
    expect(page).toContain(`vllm:time_to_first_token_seconds_count${labels} 2\n`);
    expect(page).toMatch(/vllm:cache_config_info\{block_size="4",.*num_gpu_blocks="100"\} 1/);
  });

  it("frees the blocks of a client that left, while it streams", async () => {
    const worker = await start({ timeScale: 1, interTokenMs: 50, ttftBaseMs: 0 });
    const leaving = new AbortController();
    const body = JSON.stringify({ model: "m", prompt: "p", max_tokens: 1000, stream: true });
    const answer = await fetch(`http://${worker.endpoint}/v1/completions`, {
      method: "POST",
      body,
      signal: leaving.signal,
    });
    await answer.body?.getReader().read();
    expect(worker.stats().running).toBe(1);
    leaving.abort();
    await until(() => worker.requests()[0]?.outcome === "aborted");
    expect(worker.stats()).toMatchObject({ running: 0, waiting: 0, blocksInUse: 0 });
  });

  it("frees the place of a client that left before its answer", async () => {
    const worker = await start({ timeScale: 1, ttftBaseMs: 60_000, maxNumSeqs: 1 });
    const leaving = new AbortController();
    const ask = () =>
      fetch(`http://${worker.endpoint}/v1/completions`, {
        method: "POST",
        body: JSON.stringify({ model: "m", prompt: "p" }),
        signal: leaving.signal,
      }).catch(() => undefined);
    const asked = [ask(), ask()];
    await until(() => worker.stats().running === 1 && worker.stats().waiting === 1);
    leaving.abort();
    await Promise.all(asked);
    await until(() => worker.stats().running === 0 && worker.stats().waiting === 0);
  });

  it("closes with idle connections open, and lets a running request end", async () => {
    const worker = await start({ timeScale: 1, ttftBaseMs: 50 });
    await fetch(`http://${worker.endpoint}/health`);
    const asked = post(worker, "/v1/completions", { model: "m", prompt: "p" });
    await until(() => worker.stats().running === 1);
    await worker.close();
    expect((await asked).status).toBe(200);
  });

  it("says when its port is taken", async () => {
    const { endpoint } = await start();
    await expect(start({ port: Number(endpoint.split(":")[1]), kvEventsPort: 0 })).rejects.toThrow(
      `--port: cannot listen on ${endpoint}: address already in use (EADDRINUSE)`,
    );
  });

  it.each([
    { flag: "--kv-events-port", ports: (taken: number) => ({ kvEventsPort: taken }) },
    { flag: "--kv-replay-port", ports: (taken: number) => ({ kvEventsPort: 0, kvReplayPort: taken }) },
  ])("says when the port of $flag is taken", async ({ flag, ports }) => {
    const { endpoint } = await start();
    await expect(start(ports(Number(endpoint.split(":")[1])))).rejects.toThrow(
      `${flag}: cannot listen on tcp://${endpoint}: address already in use (EADDRINUSE)`,
    );
  });
});

describe("faults", () => {
  const prompt = { model: "m", prompt: "p", max_tokens: 8 };

  it("fails, and stops failing when told so", async () => {
    const worker = await start({ failRate: 1, failStatus: 429 });
    expect((await post(worker, "/v1/completions", prompt)).status).toBe(429);
    const changed = await post(worker, "/sim/config", { failRate: 0 });
    expect(await changed.json()).toMatchObject({ failRate: 0, failStatus: 429 });
    expect((await post(worker, "/v1/completions", prompt)).status).toBe(200);
  });

  it("fails as often as the rate says", async () => {
    const draws = [0.29, 0.31, 0.1, 0.9];
    const worker = await start({ failRate: 0.3, random: () => draws.shift() ?? 1 });
    const statuses: number[] = [];
    for (let count = 0; count < 4; count += 1) statuses.push((await post(worker, "/v1/completions", prompt)).status);
    expect(statuses).toEqual([500, 200, 500, 200]);
  });

  it.each([false, true])("cuts the answer in the middle (stream: %o)", async (stream) => {
    const worker = await start({ resetRate: 1 });
    const answer = await post(worker, "/v1/completions", { ...prompt, stream });
    expect(answer.status).toBe(200);
    await expect(answer.text()).rejects.toThrow();
    expect(worker.requests()[0]?.outcome).toBe("reset");
    expect(worker.stats().blocksInUse).toBe(0);
  });

  it("is unhealthy on demand", async () => {
    const worker = await start();
    worker.configure({ isHealthy: false });
    expect((await fetch(`http://${worker.endpoint}/health`)).status).toBe(503);
  });

  it.each([{ failRate: 2 }, { failRate: "1" }, { nope: 1 }, [], 3])("refuses the settings %o", async (settings) => {
    const worker = await start();
    expect((await post(worker, "/sim/config", settings)).status).toBe(400);
    expect(await (await fetch(`http://${worker.endpoint}/sim/config`)).json()).toMatchObject({ failRate: 0 });
  });
});
