import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { parseRequest } from "../../../src/api/index.ts";
import { type MistralCommon, Model, type ModelFiles, profileByName } from "../../../src/model/index.ts";
import { addedToken, byteModel, characterModel, patterns, type TokenizerJson } from "../tokenizer/small-models.ts";
import type { Engine } from "./engine-prompt.ts";
import { modelFiles, plainTemplate } from "./model-folder.ts";

interface Served extends Partial<ModelFiles> {
  readonly profile: Engine;
  readonly mistralCommon?: MistralCommon;
  readonly template?: string;
}

const hello = { messages: [{ role: "user", content: "hi" }] };

async function tokenized(
  { profile, mistralCommon = "auto", template = plainTemplate, ...files }: Served,
  path: string,
  body: object,
) {
  const options = { name: "m", profile: profileByName(profile), blockSize: 16, mistralCommon };
  const model = await Model.load(options, modelFiles(template, files));
  const engineOf = () => model.engine;
  const parsing = { dialect: "engine", engineOf, refuseUnknownShapes: false, maxDepth: 100 } as const;
  const request = parseRequest(path, Buffer.from(JSON.stringify({ model: "m", ...body })), parsing);
  if (request.api === "promptless") throw new Error("no prompt");
  const { tokenIds, inexactReason } = await model.tokenize(request);
  return inexactReason ?? Array.from(tokenIds).join(" ");
}

const mistral = /Mistral's own tokenizer files/;

describe("a model whose repository holds Mistral's own tokenizer files has no known tokens", () => {
  const both = ["tekken.json", "consolidated.safetensors", "model.safetensors"];
  it.each<{ profile: Engine; files: readonly string[]; told?: MistralCommon; isMistral: boolean }>([
    { profile: "vllm", files: both, isMistral: true },
    { profile: "vllm", files: ["tokenizer.model.v3", "consolidated-00001-of-00002.safetensors"], isMistral: true },
    { profile: "vllm", files: ["tekken.json"], isMistral: true },
    { profile: "vllm", files: ["tekken.json", "model-00001-of-00002.safetensors"], isMistral: false },
    { profile: "vllm", files: ["consolidated.safetensors", "tokenizer.model"], isMistral: false },
    { profile: "vllm", files: both, told: "never", isMistral: false },
    { profile: "vllm", files: [], told: "always", isMistral: true },
    { profile: "sglang", files: ["tekken.json", "model.safetensors"], isMistral: true },
    { profile: "sglang", files: ["tokenizer.model.v3"], isMistral: false },
    { profile: "sglang", files: both, told: "never", isMistral: false },
  ])("at $profile with $files, told $told: $isMistral", async ({ profile, files, told, isMistral }) => {
    const served = { profile, otherNames: files, ...(told === undefined ? {} : { mistralCommon: told }) };
    const chat = await tokenized(served, "/v1/chat/completions", hello);
    const text = await tokenized(served, "/v1/completions", { prompt: "hello" });
    expect(await tokenized(served, "/v1/completions", { prompt: [10, 11] })).toBe("10 11");
    for (const answer of [chat, text]) {
      if (isMistral) expect(answer).toMatch(mistral);
      else expect(answer).toMatch(/^[\d ]+$/);
    }
  });
});

describe("a tokenizer of a class with code of its own in transformers", () => {
  const tokenizerConfig = Buffer.from('{"tokenizer_class":"XLMRobertaTokenizerFast"}');
  const prompt = { prompt: "hello" };

  it.each(["vllm", "sglang"] as const)("gives no known tokens at %s", async (profile) => {
    const served = { profile, tokenizerConfig };
    expect(await tokenized(served, "/v1/completions", prompt)).toMatch(/tokenizer_class XLMRobertaTokenizer/);
    expect(await tokenized(served, "/v1/chat/completions", hello)).toMatch(/tokenizer_class XLMRobertaTokenizer/);
    expect(await tokenized(served, "/v1/completions", { prompt: [10, 11] })).toBe("10 11");
  });

  it("is read as it stands where it has none", async () => {
    const own = Buffer.from('{"tokenizer_class":"BloomTokenizerFast"}');
    expect(await tokenized({ profile: "vllm", tokenizerConfig: own }, "/v1/completions", prompt)).toBe("1 10");
  });

  it("of SGLang's that puts a BOS before texts has that token", async () => {
    const own = Buffer.from('{"tokenizer_class":"LlamaTokenizer","bos_token":"<begin>"}');
    expect(await tokenized({ profile: "sglang", tokenizerConfig: own }, "/v1/completions", prompt)).toMatch(
      /no|not known/,
    );
  });
});

describe("a template that SGLang has code of its own for", () => {
  const template = `{# [gMASK]<sop> Reasoning Effort: <tool_call> <arg_key> <arg_value> #}${plainTemplate}`;
  const config = (architecture: string) => Buffer.from(JSON.stringify({ architectures: [architecture] }));

  it("renders no known prompt there, and only for its architecture", async () => {
    const glm = { template, config: config("GlmMoeDsaForCausalLM") };
    const path = "/v1/chat/completions";
    expect(await tokenized({ profile: "sglang", ...glm }, path, hello)).toMatch(/without its template/);
    expect(await tokenized({ profile: "vllm", ...glm }, path, hello)).toMatch(/^[\d ]+$/);
    const another = { template, config: config("Glm4MoeForCausalLM") };
    expect(await tokenized({ profile: "sglang", ...another }, path, hello)).toMatch(/^[\d ]+$/);
  });
});

describe("a multimodal model's prompt", () => {
  const bosTemplate = {
    type: "TemplateProcessing",
    single: [{ SpecialToken: { id: "<|x|>", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
    pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 0 } }],
    special_tokens: { "<|x|>": { id: "<|x|>", ids: [1], tokens: ["<|x|>"] } },
  };
  const decoder = { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true };
  const withBos = byteModel(patterns.qwen3, { post_processor: bosTemplate, decoder });
  const pieces = characterModel({
    normalizer: { type: "Replace", pattern: { String: " " }, content: "▁" },
    post_processor: bosTemplate,
    added_tokens: [addedToken("<unk>"), addedToken("<s>")],
  });
  const multimodal = { architectures: ["MllamaForConditionalGeneration"] };
  const template = "{% for m in messages %}{{ m.content }}{% endfor %}";
  const served = (profile: Engine, tokenizer: TokenizerJson, config: object) => ({
    profile,
    template,
    tokenizerJson: Buffer.from(JSON.stringify(tokenizer)),
    tokenizerConfig: undefined,
    config: Buffer.from(JSON.stringify(config)),
  });
  const chat = "/v1/chat/completions";
  const responses = "/v1/responses";

  it.each([
    { config: multimodal, isRead: "twice" },
    { config: { architectures: ["AnyForCausalLM"], text_config: {} }, isRead: "twice" },
    { config: { architectures: ["Llama4ForConditionalGeneration"], text_config: {} }, isRead: "once" },
    { config: { architectures: ["LlamaForCausalLM"] }, isRead: "once" },
  ])("is tokenized $isRead by SGLang, with special tokens, for $config", async ({ config, isRead }) => {
    const once = await tokenized(served("vllm", withBos, config), chat, hello);
    const expected = isRead === "twice" ? `1 ${once}` : once;
    expect(await tokenized(served("sglang", withBos, config), chat, hello)).toBe(expected);
    expect(await tokenized(served("sglang", withBos, config), responses, { input: "hi" })).toBe(expected);
  });

  it("keeps its first tokens in chat where the tokenizer adds none", async () => {
    const plain = served("sglang", { ...pieces, post_processor: null }, multimodal);
    expect(await tokenized(plain, chat, hello)).toMatch(/^[\d ]+$/);
    expect(await tokenized(plain, responses, { input: "hi" })).toMatch(/twice/);
  });

  it("has no known tokens where the text of the tokens may be another", async () => {
    expect(await tokenized(served("sglang", pieces, multimodal), chat, hello)).toMatch(/twice/);
    expect(await tokenized(served("sglang", pieces, multimodal), "/v1/completions", { prompt: "hi" })).toMatch(/^1 /);
    const { decoder: _none, ...undecoded } = withBos;
    expect(await tokenized(served("sglang", undecoded, multimodal), chat, hello)).toMatch(/twice/);
  });
});
