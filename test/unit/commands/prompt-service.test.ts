import { Buffer } from "node:buffer";
import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { PromptService } from "../../../src/commands/prompt-service.ts";
import { type ServedModels, servedModels } from "../../../src/commands/served-models.ts";
import { loadConfig } from "../../../src/config/index.ts";
import { JsonReader } from "../../../src/json/index.ts";
import { hashBlocks } from "../../../src/kv/index.ts";
import { prepareAnywhere } from "../../../src/router/elsewhere.ts";
import type { PreparedRequest, PrepareInput } from "../../../src/router/index.ts";
import { NativeTokenizer } from "../../../src/tokenizer/native-tokenizer.ts";
import { LocalHub } from "../model-hub/local-hub.ts";
import { corpusTexts } from "../tokenizer/corpus.ts";
import { addedToken, byteModel, patterns, type TokenizerJson } from "../tokenizer/small-models.ts";

const template =
  "{% for m in messages %}<|x|>{{ m.role }}\n{{ m.content }}<|x|>\n{% endfor %}{% if add_generation_prompt %}<|x|>assistant\n{% endif %}";
const exact = byteModel(patterns.qwen3, { normalizer: { type: "NFC" }, added_tokens: [addedToken("<|x|>")] });
/** Lowercase is a feature that only the official engine has. */
const official = byteModel(patterns.qwen3, { normalizer: { type: "Lowercase" }, added_tokens: [addedToken("<|x|>")] });
const plain = { addSpecialTokens: false };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "models-"));
  for (const [name, model] of [
    ["exact", exact],
    ["official", official],
  ] as const)
    await modelFolder(name, model);
});
afterAll(() => rm(folder, { recursive: true }));

async function modelFolder(name: string, model: TokenizerJson): Promise<void> {
  const path = join(folder, name);
  await mkdir(path);
  await writeFile(join(path, "tokenizer.json"), JSON.stringify(model));
  await writeFile(join(path, "chat_template.jinja"), template);
}

interface Running {
  readonly service: PromptService;
  readonly models: ServedModels;
  readonly events: string[];
  /** Resolves at the next event that begins so. */
  event(text: string): Promise<void>;
  prepare(request: PrepareInput): Promise<PreparedRequest>;
}

const running: PromptService[] = [];
afterEach(async () => {
  for (const service of running.splice(0)) await service.close();
});

/** Nothing is checked again, and deadlines are long enough for a busy machine, unless the settings say otherwise. */
const calm = ["tokenizer.shadowCheckEvery=0", "tokenizer.threads.deadlineMs=60000"];

function start(names: readonly string[], settings: readonly string[] = []): Running {
  const models = names.map((name) => ({ name, folder: join(folder, name), profile: "dynamo", blockSize: 16 }));
  return startWith(models, settings);
}

function startWith(entries: readonly object[], settings: readonly string[]): Running {
  const text = JSON.stringify({ models: entries });
  const config = loadConfig({ text, env: {}, flags: { set: [...calm, ...settings] } });
  const models = servedModels(config);
  const jsonReader = new JsonReader();
  const events: string[] = [];
  const waiting: [string, () => void][] = [];
  const tell = (event: string) => {
    events.push(event);
    for (const [text, resolve] of waiting) if (event.startsWith(text)) resolve();
  };
  const event = (text: string) => new Promise<void>((resolve) => waiting.push([text, resolve]));
  const service = new PromptService(config, {
    models,
    reader: jsonReader,
    random: () => 0,
    threads: {
      prepared: () => tell("prepared"),
      failed: tell,
      faulty: tell,
      ended: () => tell("ended"),
    },
    staleModel: (model) => tell(`stale ${model}`),
    shadow: {
      same: (model) => tell(`same ${model}`),
      different: (model, hash) => tell(`different ${model} ${hash}`),
      skipped: (model) => tell(`skipped ${model}`),
    },
  });
  running.push(service);
  const options = { unknownModel: "refuse", refuseUnknownShapes: false, maxJsonDepth: 128, jsonReader } as const;
  const { elsewhere } = service;
  const prepare = async (request: PrepareInput) =>
    prepareAnywhere(request, models.registry, { ...options, elsewhere }, undefined);
  return { service, models, events, event, prepare };
}

type Turn = readonly [role: string, content: string];

function chat(model: string, turns: readonly Turn[], more: object = {}): PrepareInput {
  const messages = turns.map(([role, content]) => ({ role, content }));
  return input("/v1/chat/completions", { model, messages, ...more });
}

function input(path: string, body: object): PrepareInput {
  return { path, body: Buffer.from(JSON.stringify(body)), tenantIds: [], trustClient: false };
}

function rendered(turns: readonly Turn[]): string {
  return `${turns.map(([role, content]) => `<|x|>${role}\n${content}<|x|>\n`).join("")}<|x|>assistant\n`;
}

function idsOf(model: TokenizerJson, text: string): Promise<Uint32Array> {
  return new NativeTokenizer(JSON.stringify(model)).encode(text, plain);
}

function longText(units: number, seed: number): string {
  const text = corpusTexts({ addedTokens: ["<|y|>"] }, 220, seed)
    .join(" ")
    .replaceAll("\0", "")
    .toWellFormed();
  return text
    .repeat(Math.ceil(units / text.length))
    .slice(0, units)
    .toWellFormed();
}

/** Expects the official engine's ids, and all that follows from them. */
async function expectPrepared(prepared: PreparedRequest, request: PrepareInput, model: TokenizerJson, text: string) {
  const ids = await idsOf(model, text);
  expect(prepared.loadOnlyReason).toBeUndefined();
  expect(Buffer.compare(Buffer.from(prepared.prompt?.tokenIds ?? []), Buffer.from(ids))).toBe(0);
  expect(prepared.prompt?.tokenIds.length).toBe(ids.length);
  expect(prepared.hashes).toEqual(hashBlocks(ids, { blockSize: 16 }));
  const { offset, deleteBytes, insert } = prepared.bodyEdit ?? { offset: 0, deleteBytes: 0, insert: [] };
  const { body } = request;
  const edited = Buffer.concat([body.subarray(0, offset), ...insert, body.subarray(offset + deleteBytes)]);
  expect(JSON.parse(edited.toString())).toEqual({
    ...JSON.parse(body.toString()),
    nvext: { token_data: [...ids] },
  });
}

describe("a large request", { timeout: 60_000 }, () => {
  it("that is new is prepared in a thread, its next turn in the main thread, with the official engine's ids", async () => {
    const { service, prepare, events } = start(["exact"]);
    await service.loaded;
    const turns: Turn[] = [["user", longText(300_000, 1)]];
    const first = chat("exact", turns);
    await expectPrepared(await prepare(first), first, exact, rendered(turns));
    expect(events).toEqual(["prepared"]);
    for (const seed of [2, 3]) {
      turns.push(["assistant", longText(400, seed)], ["user", longText(3000, seed + 10)]);
      const next = chat("exact", turns);
      await expectPrepared(await prepare(next), next, exact, rendered(turns));
    }
    expect(events).toEqual(["prepared"]);
  });

  it.each<[string, string]>([
    ["a text without a place to cut it", "xyz".repeat(20_000)],
    ["a long run of combining marks", `a${"\u0301\u0323\u0308".repeat(9000)}`],
    ["Chinese without a line end", "中文字符没有空格".repeat(2000)],
  ])("%s is small, and held back from the main thread all the same", async (_, content) => {
    const { service, prepare, events } = start(["exact"]);
    await service.loaded;
    const turns: Turn[] = [["user", content]];
    const request = chat("exact", turns);
    await expectPrepared(await prepare(request), request, exact, rendered(turns));
    expect(events).toEqual(["prepared"]);
  });

  it("is refused as a small one is", async () => {
    const { service, prepare } = start(["exact"]);
    await service.loaded;
    const request = chat("exact", [["user", longText(200_000, 4)]], { temperature: "hot" });
    await expect(prepare(request)).rejects.toMatchObject({ code: "invalid_request", field: "temperature" });
    await expect(prepare(chat("other", [["user", longText(200_000, 4)]]))).rejects.toMatchObject({
      code: "unknown_model",
    });
  });

  it("beyond its deadline is placed by load, with its model and its pins", async () => {
    const { service, prepare, events } = start(["exact"], ["tokenizer.threads.deadlineMs=1"]);
    await service.loaded;
    const request = chat("exact", [["user", longText(1_500_000, 5)]]);
    const prepared = await prepare(request);
    expect(prepared).toMatchObject({ api: "chat", hashes: undefined, loadOnlyReason: "a large prompt took too long" });
    expect(prepared.model?.name).toBe("exact");
    expect(events).toEqual(["a large prompt took too long"]);
    const pinning = chat("exact", [["user", longText(1_500_000, 5)]], { nvext: { decode_worker_id: 7 } });
    await expect(prepare(pinning)).rejects.toMatchObject({ code: "invalid_request", field: "nvext.decode_worker_id" });
    expect((await prepare({ ...pinning, trustClient: true })).demands.constraints.pinned?.workerId).toBe(7n);
  });
});

describe("a model that only the official engine knows", { timeout: 60_000 }, () => {
  it("is tokenized in a thread of its own, large or small", async () => {
    const { service, prepare, models, events } = start(["official", "exact"]);
    await service.loaded;
    expect(models.late[0]?.hasEngine).toBe(false);
    for (const units of [50, 300_000]) {
      const turns: Turn[] = [["user", `ABC ${longText(units, 6)}`]];
      const request = chat("official", turns);
      await expectPrepared(await prepare(request), request, official, rendered(turns));
    }
    expect(events.length).toBeGreaterThan(1);
  });
});

describe("models that are being loaded", { timeout: 60_000 }, () => {
  it("are served by load until then, each as soon as it is loaded", async () => {
    const { service, prepare } = start(["exact"]);
    const request = chat("exact", [["user", "hello"]]);
    expect((await prepare(request)).loadOnlyReason).toBe("the model is being loaded");
    await service.loaded;
    expect((await prepare(request)).loadOnlyReason).toBeUndefined();
  });

  it("that cannot be loaded are named", async () => {
    await modelFolder("broken", { model: { type: "Nothing" } });
    await expect(start(["exact", "broken"]).service.loaded).rejects.toThrow(
      /model broken cannot be loaded: tokenizer.json/,
    );
    await expect(start(["missing"]).service.loaded).rejects.toThrow(
      /model missing cannot be loaded: .*there is no such folder/,
    );
  });
});

describe("a request that is checked by the official engine", { timeout: 60_000 }, () => {
  const every = ["tokenizer.shadowCheckEvery=1"];

  it("in the background, large or small, counts as the same", async () => {
    const { service, prepare, event } = start(["exact"], every);
    await service.loaded;
    for (const units of [50, 200_000]) {
      const turns: Turn[] = [["user", longText(units, 7)]];
      const checked = event("same exact");
      const request = chat("exact", turns);
      await expectPrepared(await prepare(request), request, exact, rendered(turns));
      await checked;
    }
  });

  it("and differs is told by a hash, and the model is tokenized by the official engine from then on", async () => {
    // The fault: the exact engine has read another vocabulary than the one that the official engine reads later.
    const faulty = byteModel(patterns.qwen35, { added_tokens: [addedToken("<|x|>")] });
    await modelFolder("changing", faulty);
    const { service, prepare, event, events, models } = start(["changing"], every);
    await service.loaded;
    await writeFile(join(folder, "changing", "tokenizer.json"), JSON.stringify(exact));
    const turns: Turn[] = [["user", "a\u0301b\u0301c e\u0301 A\u0301 s\u0301 \u00c1"]];
    const different = event("different changing");
    const first = await prepare(chat("changing", turns));
    expect(first.loadOnlyReason).toBeUndefined();
    await different;
    expect(events.at(-1)).toMatch(/^different changing [0-9a-f]{16}$/);
    expect(models.late[0]?.hasEngine).toBe(false);
    for (const content of ["a\u0301b\u0301c", longText(200_000, 8)]) {
      const next: Turn[] = [["user", content]];
      const request = chat("changing", next);
      await expectPrepared(await prepare(request), request, exact, rendered(next));
    }
  });
});

describe("a model that is named by its id on the hub", { timeout: 60_000 }, () => {
  const commit = "c".repeat(40);

  async function startHub() {
    const files = {
      "tokenizer.json": Buffer.from(JSON.stringify(exact)),
      "chat_template.jinja": Buffer.from(template),
    };
    const hub = await LocalHub.start({ "org/model": { refs: { main: commit }, commits: { [commit]: files } } });
    const cacheDir = join(folder, `hub-${randomUUID()}`);
    const settings = [`hub.url=${hub.url}`, `hub.cacheDir=${cacheDir}`];
    const models = [{ name: "m", hubId: "org/model", profile: "dynamo", blockSize: 16 }];
    return { hub, start: () => startWith(models, settings) };
  }

  it("is downloaded and loaded, and loaded again without the hub", async () => {
    const { hub, start } = await startHub();
    const first = start();
    await first.service.loaded;
    await hub.close();
    const { service, prepare, events } = start();
    await service.loaded;
    expect(events).toEqual(["stale m"]);
    const turns: Turn[] = [["user", "hello from the hub"]];
    const request = chat("m", turns);
    await expectPrepared(await prepare(request), request, exact, rendered(turns));
  });

  it("is an error that says what to do when it cannot be had", async () => {
    const { hub, start } = await startHub();
    await hub.close();
    await expect(start().service.loaded).rejects.toThrow(
      /^model m cannot be loaded: org\/model at main: http:.* cannot be reached, and .* has no copy/,
    );
  });
});
