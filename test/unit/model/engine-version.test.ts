import { Buffer } from "node:buffer";
import { describe, expect, it } from "vitest";
import { type Engine, enginePrompt } from "./engine-prompt.ts";

// Expected forms are those of the releases' own code (scripts/oracle/engines with ENGINES_HOME at sglang 0.5.20 to 0.5.23, vllm 0.30.0 and 0.33.0).

const template = "{{ tools | tojson if tools else messages | length }}";
const user = { role: "user", content: "hi" };
const chat = "/v1/chat/completions";
const responses = "/v1/responses";

function promptOf(profile: Engine, engineVersion: string | undefined, path: string, body: object, config = "{}") {
  const version = engineVersion === undefined ? {} : { engineVersion };
  return enginePrompt(path, { profile, template, ...version, files: { config: Buffer.from(config) } }, body);
}

describe("tools at SGLang", () => {
  const tools = [{ type: "function", function: { name: "f", parameters: { type: "object" }, description: "d" } }];
  const fixed =
    '[{"type": "function", "function": {"description": "d", "name": "f", "parameters": {"type": "object"}, "strict": false}, "defer_loading": null}]';
  const asSent =
    '[{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}, "description": "d"}, "defer_loading": null}]';

  it.each([
    { version: "0.5.20", prompt: fixed },
    { version: "0.5.22", prompt: fixed },
    { version: "0.5.22.post1", prompt: fixed },
    { version: "0.5.23", prompt: asSent },
    { version: "0.6.0", prompt: asSent },
    { version: undefined, prompt: asSent },
  ])("have the form of release $version", async ({ version, prompt }) => {
    expect(await promptOf("sglang", version, chat, { messages: [user], tools })).toBe(prompt);
  });

  it("of Messages are never strict before they are shown as sent", async () => {
    const own = [{ name: "f", description: "d", input_schema: { type: "object" }, strict: true }];
    const body = { max_tokens: 5, messages: [user], tools: own };
    expect(await promptOf("sglang", "0.5.22", "/v1/messages", body)).toBe(fixed);
    expect(await promptOf("sglang", "0.5.23", "/v1/messages", body)).toBe(
      '[{"type": "function", "function": {"name": "f", "description": "d", "parameters": {"type": "object"}, "strict": true}, "defer_loading": null}]',
    );
  });
});

describe("what is not known of a release", () => {
  const gptOss = '{"model_type":"gpt_oss"}';
  it.each<{ profile: Engine; version: string; path: string; body: object; config?: string; isKnown: boolean }>([
    { profile: "sglang", version: "0.5.19", path: chat, body: { messages: [user] }, isKnown: false },
    { profile: "sglang", version: "0.5.20", path: chat, body: { messages: [user] }, isKnown: true },
    { profile: "sglang", version: "0.5.21", path: responses, body: { input: "hi" }, isKnown: false },
    { profile: "sglang", version: "0.5.22", path: responses, body: { input: "hi" }, isKnown: true },
    { profile: "sglang", version: "0.5.22", path: responses, body: { input: "hi" }, config: gptOss, isKnown: false },
    { profile: "sglang", version: "0.5.9", path: "/v1/completions", body: { prompt: "hi" }, isKnown: true },
    { profile: "vllm", version: "0.29.0", path: chat, body: { messages: [user] }, isKnown: false },
    { profile: "vllm", version: "0.30.0", path: chat, body: { messages: [user] }, isKnown: true },
    { profile: "vllm", version: "0.32.0", path: chat, body: { messages: [user] }, config: gptOss, isKnown: false },
    { profile: "vllm", version: "0.33.0", path: chat, body: { messages: [user] }, config: gptOss, isKnown: true },
    { profile: "vllm", version: "1.0.0", path: responses, body: { input: "hi" }, isKnown: true },
  ])(
    "at $profile $version $path $config: known $isKnown",
    async ({ profile, version, path, body, config, isKnown }) => {
      const prompt = await promptOf(profile, version, path, body, config);
      expect(prompt === "by load").toBe(!isKnown);
    },
  );
});
