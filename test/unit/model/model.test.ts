import { describe, expect, it } from "vitest";
import { type ChatParsed, type CompletionsParsed, parseRequest } from "../../../src/api/index.ts";
import { RoutingError } from "../../../src/errors/index.ts";
import { Model, ModelLoadError, type ModelOptions, type ProfileName, profileByName } from "../../../src/model/index.ts";
import { sglang, vllm } from "../api/fixtures.ts";
import { modelFiles, plainTemplate } from "./model-folder.ts";

const engines = { vllm, sglang };

function load(
  profile: ProfileName = "dynamo",
  files = modelFiles(plainTemplate),
  maxPromptLength?: number,
): Promise<Model> {
  const limits = maxPromptLength === undefined ? {} : { maxPromptLength };
  return Model.load({ name: "m", profile: profileByName(profile), blockSize: 16, ...limits }, files);
}

function parsed(path: string, body: object, profile: ProfileName = "dynamo"): ChatParsed | CompletionsParsed {
  const { dialect } = profileByName(profile);
  const engineOf = () => (profile === "dynamo" ? undefined : engines[profile]);
  const options = { dialect, engineOf, refuseUnknownShapes: false, maxDepth: 100 };
  const request = parseRequest(path, Buffer.from(JSON.stringify({ model: "m", ...body })), options);
  if (request.api === "promptless") throw new TypeError("a prompt expected");
  return request;
}

const chat = (body: object, profile?: ProfileName) => parsed("/v1/chat/completions", body, profile);
const completion = (body: object, profile?: ProfileName) => parsed("/v1/completions", body, profile);
const hello = [{ role: "user", content: "hello" }];
const media = [{ role: "user", content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }] }];

describe("a conversation", () => {
  it("becomes the tokens of its rendered prompt, which may be injected", async () => {
    const prompt = await (await load()).tokenize(chat({ messages: hello }));
    expect(prompt).toMatchObject({
      tokenIds: Uint32Array.of(12, 10, 2, 14),
      injectable: true,
      batch: undefined,
      inexactReason: undefined,
    });
    expect(prompt.pieces?.join("")).toBe("user hello <e> assistant");
    expect(prompt.decimals?.().join("")).toBe(",12,10,2,14");
  });

  it("is refused where its template refuses it", async () => {
    const model = await load("dynamo", modelFiles("{{ raise_exception('no') }}"));
    await expect(async () => model.tokenize(chat({ messages: hello }))).rejects.toMatchObject({
      code: "invalid_request",
    });
  });

  it.each([
    { name: "the model has no chat template", files: modelFiles(undefined), body: { messages: hello } },
    {
      name: "the template uses a filter that is not known here",
      files: modelFiles("{{ messages | pprint }}"),
      body: { messages: hello },
    },
    ...[
      ...["{% include 'x' %}", "{% import 'x' as y %}", "{% from 'x' import y %}", "{% extends 'x' %}"],
      ...["{% block b %}{% if true %}x{% endif %}{% endblock b %}", "{% autoescape true %}x{% endautoescape %}"],
    ].map((block) => ({
      name: `the template has ${block}`,
      files: modelFiles(`a ${block} b`),
      body: { messages: hello },
    })),
    {
      name: "a probe of the template is not known",
      files: modelFiles("{% if messages | length > 1 %}{{ messages | pprint }}{% endif %}"),
      body: { messages: hello },
    },
  ])("is routed by load when $name", async ({ files, body }) => {
    const prompt = await (await load("dynamo", files)).tokenize(chat(body));
    expect(prompt.inexactReason).toEqual(expect.any(String));
    expect(prompt.tokenIds).toHaveLength(0);
    expect(prompt.injectable).toBe(false);
  });

  it.each(["vllm", "sglang"] as const)("is routed by load at %s when its template uses others", async (profile) => {
    const model = await load(profile, modelFiles("a {% include 'x' %} b"));
    const prompt = await model.tokenize(chat({ messages: hello }, profile));
    expect(prompt.inexactReason).toContain("include");
  });

  it("is refused where Dynamo has no template of its list for it, and rendered by engines", async () => {
    const named = [{ name: "default", template: "hello" }];
    const config = (list: unknown) => ({ tokenizerConfig: Buffer.from(JSON.stringify({ chat_template: list })) });
    const huggingface = modelFiles(undefined, config(named));
    const refused = { code: "invalid_request", message: expect.stringContaining("list of chat templates") };
    await expect(async () =>
      (await load("dynamo", huggingface)).tokenize(chat({ messages: hello })),
    ).rejects.toMatchObject(refused);
    const engine = await (await load("vllm", huggingface)).tokenize(chat({ messages: hello }, "vllm"));
    expect(engine.pieces).toEqual(["hello"]);
    const maps = await load("dynamo", modelFiles(undefined, config([{ default: "hello" }])));
    expect((await maps.tokenize(chat({ messages: hello }))).pieces).toEqual(["hello"]);
    const tools = [{ type: "function", function: { name: "f", parameters: {} } }];
    await expect(async () => maps.tokenize(chat({ messages: hello, tools }))).rejects.toMatchObject(refused);
  });

  it("is known where a block of other templates is not come to", async () => {
    const model = await load("dynamo", modelFiles("hello{% if false %}{% include 'x' %}{% endif %}"));
    expect((await model.tokenize(chat({ messages: hello }))).pieces).toEqual(["hello"]);
  });

  it("is rendered within the limits and in the time zone of the settings", async () => {
    const rendered = async (templateSettings: ModelOptions["templateSettings"], source: string) => {
      const options = {
        name: "m",
        profile: profileByName("dynamo"),
        blockSize: 16,
        ...(templateSettings && { templateSettings }),
      };
      const model = await Model.load(options, modelFiles(source));
      return model.tokenize(chat({ messages: hello }));
    };
    const long = "{% for i in range(500) %}a{% endfor %}";
    expect((await rendered(undefined, long)).inexactReason).toBeUndefined();
    expect((await rendered({ limits: { maxWork: 400 } }, long)).inexactReason).toContain("works too long");
    expect((await rendered({ limits: { maxLength: 400 } }, long)).inexactReason).toContain("prints too much");
    const hour = async (timeZone: string) =>
      Number((await rendered({ timeZone }, "{{ strftime_now('%H') }}")).pieces?.join(""));
    expect(((await hour("Etc/GMT-9")) - (await hour("Etc/GMT+3")) + 24) % 24).toBe(12);
  });

  it("with an image has the tokens of its placeholder, which are left to the backend to expand", async () => {
    const prompt = await (await load("dynamo", modelFiles("{{ messages[0].role }}"))).tokenize(
      chat({ messages: media }),
    );
    expect(prompt).toMatchObject({ pieces: ["user"], injectable: false, inexactReason: undefined });
    expect(prompt.tokenIds).toHaveLength(1);
  });

  it("is rendered without the template where Dynamo does so, and with it by engines", async () => {
    const files = modelFiles(plainTemplate, { config: Buffer.from('{"model_type": "deepseek_v32"}') });
    const prompt = await (await load("dynamo", files)).tokenize(chat({ messages: hello }));
    expect(prompt.pieces?.[0]).toBe("<｜begin▁of▁sentence｜>");
    const engine = await (await load("vllm", files)).tokenize(chat({ messages: hello }, "vllm"));
    expect(engine.pieces?.join("")).not.toContain("begin▁of▁sentence");
  });

  it("is tokenized piece by piece for Kimi K3, and routed by load when a text looks like a token", async () => {
    const files = modelFiles(undefined, { config: Buffer.from('{"model_type": "kimi_k3"}') });
    const model = await load("dynamo", files);
    const prompt = await model.tokenize(chat({ messages: [{ role: "user", content: "hello again" }] }));
    // "system" twice, in a role and in what the model is told of effort; "user", the text, "assistant". The rest are unknown words.
    expect([...prompt.tokenIds].filter((id) => id !== 0)).toEqual([13, 13, 12, 10, 15, 14]);
    expect(prompt).toMatchObject({ injectable: true, inexactReason: undefined });
    const odd = await model.tokenize(chat({ messages: [{ role: "user", content: "hello <s>" }] }));
    expect(odd).toMatchObject({ injectable: false, inexactReason: "text that looks like a token of the model" });
  });

  it("keeps U+0000 where it is tokenized piece by piece, and nowhere else", async () => {
    const files = modelFiles(undefined, { config: Buffer.from('{"model_type": "kimi_k3"}') });
    const model = await load("dynamo", files);
    const ids = async (content: string) => [
      ...(await model.tokenize(chat({ messages: [{ role: "user", content }] }))).tokenIds,
    ];
    expect(await ids("hel\u0000lo")).not.toEqual(await ids("hello"));
    expect([...(await model.tokenize(completion({ prompt: "hel\u0000lo" }))).tokenIds]).toEqual([10]);
  });

  it("is routed by load when its prompt is longer than what is tokenized", async () => {
    const model = await load("dynamo", modelFiles(plainTemplate), 23);
    expect((await model.tokenize(chat({ messages: hello }))).inexactReason).toBe("prompt too long to tokenize");
  });
});

describe("the client's own token ids", () => {
  const own = (ids: readonly number[]) => ({ messages: hello, nvext: { token_data: ids } });

  it("are routed on, and not injected again", async () => {
    const prompt = await (await load()).tokenize(chat(own([5, 99])));
    expect([prompt.tokenIds, prompt.injectable]).toEqual([Uint32Array.of(5, 99), false]);
  });

  it("may be none", async () => {
    expect((await (await load()).tokenize(chat(own([])))).tokenIds).toHaveLength(0);
  });

  it("are refused beyond the model's vocabulary", async () => {
    await expect(async () => (await load()).tokenize(chat(own([5, 100])))).rejects.toMatchObject({
      code: "invalid_request",
      field: "nvext.token_data[1]",
    });
  });

  it("do not save a conversation that the template refuses", async () => {
    const model = await load("dynamo", modelFiles("{{ raise_exception('no') }}"));
    await expect(async () => model.tokenize(chat(own([5])))).rejects.toThrow(RoutingError);
  });

  it("mean nothing to engines that do not read them", async () => {
    const prompt = await (await load("vllm")).tokenize(chat(own([5]), "vllm"));
    expect(prompt.tokenIds).toEqual(Uint32Array.of(12, 10, 2, 14));
  });

  it.each([
    { name: "take the place of a text", prompt: "hello", ids: [5], batch: undefined },
    { name: "are ignored with a list of one text", prompt: ["hello"], ids: [10], batch: undefined },
    { name: "take the place of each text of a batch", prompt: ["hello", "world"], ids: [5], batch: [[5], [5]] },
    { name: "are ignored with token ids", prompt: [11], ids: [11], batch: undefined },
  ])("$name of a completion", async ({ prompt, ids, batch }) => {
    const known = await (await load()).tokenize(completion({ prompt, nvext: { token_data: [5] } }));
    expect([...known.tokenIds]).toEqual(ids);
    expect(known.batch?.map((list) => [...list])).toEqual(batch);
  });
});

describe("a completion", () => {
  it.each([
    { profile: "dynamo", ids: [10], why: "as it is" },
    { profile: "vllm", ids: [1, 10], why: "with special tokens" },
    { profile: "sglang", ids: [1, 10], why: "with special tokens" },
  ] as const)("is tokenized $why for $profile", async ({ profile, ids }) => {
    const prompt = await (await load(profile)).tokenize(completion({ prompt: "hello" }, profile));
    expect([...prompt.tokenIds]).toEqual(ids);
  });

  it.each([
    { prompt: "hello", batch: undefined },
    { prompt: [], batch: undefined },
    { prompt: [[1], [100]], batch: [[], []] },
    { prompt: ["hello", "world"], nvext: { token_data: [100] }, batch: [[], []] },
  ])("has no tokens with a tensor in their place: $prompt", async ({ batch, ...body }) => {
    const prompt = await (await load()).tokenize(completion({ ...body, prompt_embeds: "A".repeat(136) }));
    expect(prompt).toMatchObject({ tokenIds: new Uint32Array(0), injectable: false, inexactReason: undefined });
    expect(prompt.batch?.map((ids) => [...ids])).toEqual(batch);
  });

  it("takes token ids as they are, within the vocabulary", async () => {
    const model = await load();
    expect([...(await model.tokenize(completion({ prompt: [3, 99] }))).tokenIds]).toEqual([3, 99]);
    await expect(async () => model.tokenize(completion({ prompt: [3, 100] }))).rejects.toMatchObject({
      field: "prompt[1]",
    });
    await expect(async () => model.tokenize(completion({ prompt: [[3], [100]] }))).rejects.toMatchObject({
      field: "prompt[1][0]",
    });
  });

  it("of several prompts is routed on the longest, and never injected", async () => {
    const prompt = await (await load()).tokenize(completion({ prompt: ["hello", "hello world", "long"] }));
    expect(prompt.batch?.map((ids) => [...ids])).toEqual([[10], [10, 11], [16]]);
    expect([[...prompt.tokenIds], prompt.injectable]).toEqual([[10, 11], false]);
  });

  it("leaves out U+0000 where the backend does", async () => {
    const text = "hel\u0000lo";
    expect([...(await (await load()).tokenize(completion({ prompt: text }))).tokenIds]).toEqual([10]);
    expect([...(await (await load("vllm")).tokenize(completion({ prompt: text }, "vllm"))).tokenIds]).toEqual([1, 0]);
  });
});

describe("loading", () => {
  it.each([
    { name: "tokenizer.json", files: modelFiles(plainTemplate, { tokenizerJson: Buffer.from("{}") }) },
    { name: "config.json", files: modelFiles(plainTemplate, { config: Buffer.from("[") }) },
    { name: "tokenizer_config.json", files: modelFiles(plainTemplate, { tokenizerConfig: Buffer.from("1") }) },
    { name: "chat template", files: modelFiles("{% for %}") },
  ])("names $name when it cannot be used", async ({ name, files }) => {
    const failure = load("dynamo", files);
    await expect(failure).rejects.toBeInstanceOf(ModelLoadError);
    await expect(failure).rejects.toThrow(name);
  });
});
