import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { promptTokenizer } from "../../../src/commands/prompt-tokenizer.ts";
import { readModelFolder } from "../../../src/config/index.ts";
import { Model, profileByName } from "../../../src/model/index.ts";
import { parseTraceRequest } from "../../../src/replay/index.ts";
import { type SimWorker, startSimWorker } from "../../../src/sim-worker/index.ts";
import { open } from "../../support/proxy/raw-client.ts";
import { testModelFolder } from "../support/model-folder.ts";
import { OwnProcess } from "../support/own-process.ts";
import { until } from "../support/until.ts";

/** `pointsman serve` in mode proxy, with exact tokens, before two simulated workers with KV events. */
describe("pointsman serve --set mode=proxy", () => {
  let workers: SimWorker[];
  let folder: string;
  let proxy: OwnProcess;
  let url: string;

  beforeAll(async () => {
    const model = { name: "qwen3", profile: profileByName("vllm"), blockSize: 16 };
    const tokenize = promptTokenizer(await Model.load(model, await readModelFolder(testModelFolder())));
    const events = { kvEventsPort: 0, kvReplayPort: 0, interTokenMs: 1, ttftBaseMs: 1, tokenize };
    workers = await Promise.all([1, 2].map(() => startSimWorker({ models: ["qwen3"], ...events })));
    folder = await mkdtemp(join(tmpdir(), "pointsman-proxy-"));
    const file = join(folder, "config.yaml");
    const settings = {
      metrics: { listen: "off" },
      log: { level: "debug" },
      proxy: { listen: "127.0.0.1:0" },
      recorder: { file: join(folder, "trace.jsonl"), blockTokens: 64 },
      models: [{ name: "qwen3", folder: testModelFolder(), profile: "vllm" }],
      workers: workers.map(({ name, endpoint, kvEventsEndpoint, kvReplayEndpoint }) => ({
        name,
        endpoint,
        kvEvents: kvEventsEndpoint,
        kvReplay: kvReplayEndpoint,
      })),
    };
    await writeFile(file, stringify(settings));
    const args = ["dist/main.js", "serve", "--config", file, "--set", "mode=proxy"];
    proxy = await OwnProcess.start({ name: "proxy", file: process.execPath, args });
    const ready = await until(() => proxy.lines.find((line) => line.includes("the picker is ready")), {
      what: "the proxy",
      timeoutMs: 60_000,
      check: () => proxy.assertRunning(),
    });
    url = `http://${(JSON.parse(ready) as { proxy: string }).proxy}`;
  });

  afterAll(async () => {
    await proxy?.end();
    for (const worker of workers ?? []) await worker.close();
    await rm(folder, { recursive: true, force: true });
  });

  it("keeps a conversation on the worker that holds it", async () => {
    const client = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 });
    const long = "The quick brown fox jumps over the lazy dog. ".repeat(60);
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "user", content: long }];
    const seen: (string | null)[] = [];
    for (let turn = 0; turn < 6; turn++) {
      const { data, response } = await client.chat.completions.create({ model: "qwen3", messages }).withResponse();
      seen.push(response.headers.get("x-sim-worker"));
      messages.push(
        { role: "assistant", content: data.choices[0]?.message.content ?? "" },
        { role: "user", content: "Go on." },
      );
    }
    // The first events may come before anybody listens: caches are followed from some turn on.
    expect(new Set(seen.slice(-3)).size).toBe(1);
    const picked = proxy.lines.filter((line) => line.includes('"picked"')).map((line) => JSON.parse(line));
    expect(picked.at(-1)).toMatchObject({ api: "chat", model: "qwen3" });
    expect(picked.at(-1).promptTokens).toBeGreaterThan(500);
    expect(picked.at(-1).predictedCachedTokens).toBeGreaterThan(500);
  });

  it("records what it picked for, as a trace that can be replayed", async () => {
    const trace = join(folder, "trace.jsonl");
    const recorded = async () => (await readFile(trace, "utf8")).split("\n").filter((line) => line !== "");
    const before = (await recorded()).length;
    const client = new OpenAI({ apiKey: "any", baseURL: `${url}/v1`, maxRetries: 0 });
    const question = "Why is the sky blue? ".repeat(60);
    const usages: object[] = [];
    for (const more of ["One.", "One. Two.", "Another."]) {
      const content = more === "Another." ? more.repeat(80) : `${question}${more}`;
      const { usage } = await client.chat.completions.create({ model: "qwen3", messages: [{ role: "user", content }] });
      usages.push({ inputTokens: usage?.prompt_tokens, outputTokens: usage?.completion_tokens });
    }
    await until(async () => (await recorded()).length === before + 3, { what: "three lines" });
    const lines = await recorded();
    const requests = lines.map((line, at) => parseTraceRequest(line, at + 1)).slice(before);
    expect(requests).toMatchObject(usages);
    expect(requests.map(({ inputTokens, blockIds }) => blockIds.length === Math.floor(inputTokens / 64))).toEqual([
      true,
      true,
      true,
    ]);
    const [one, two, other] = requests.map(({ blockIds }) => blockIds);
    expect(two?.slice(0, 4)).toEqual(one?.slice(0, 4));
    expect(other?.some((id) => one?.includes(id))).toBe(false);
    expect(lines.join("\n")).not.toMatch(/sky|Another/);
    const replayed = ["dist/main.js", "replay", trace, "--block-size", "64", "--json"];
    const { stdout } = await promisify(execFile)(process.execPath, replayed);
    const configured = stdout.split("\n").find((line) => line.includes('"configured"')) ?? "{}";
    expect(JSON.parse(configured)).toMatchObject({ requests: lines.length });
  });

  it("ends when told: streams first, then itself", async () => {
    const body = { model: "qwen3", messages: [{ role: "user", content: "a" }], max_tokens: 300, stream: true };
    const answer = await open(url, { body });
    const text = answer.toArray().then((parts) => parts.join(""));
    const ending = proxy.end("SIGTERM");
    expect((await text).endsWith("data: [DONE]\n\n")).toBe(true);
    expect(await ending).toBe("exit code 0");
  });
});
