import { describe, expect, it } from "vitest";
import { parseRequest } from "../../../src/api/index.ts";
import { Model, type ProfileName, profileByName } from "../../../src/model/index.ts";
import { modelFiles } from "./model-folder.ts";

async function promptOf(profile: ProfileName, template: string, body: object): Promise<string | undefined> {
  const model = await Model.load({ name: "m", profile: profileByName(profile), blockSize: 16 }, modelFiles(template));
  const options = { dialect: "engine", refuseUnknownShapes: false, maxDepth: 100 } as const;
  const request = parseRequest("/v1/chat/completions", Buffer.from(JSON.stringify({ model: "m", ...body })), options);
  if (request.api === "promptless") throw new TypeError("a prompt expected");
  return (await model.tokenize(request)).pieces?.join("");
}

const user = { role: "user", content: "hi" };
const toolTurn = {
  role: "assistant",
  content: null,
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: '{"b":1.0,"10":"é"}' } }],
};
const tools = [{ type: "function", function: { name: "f", description: "d", parameters: { type: "object" } } }];

// As transformers' apply_chat_template and the engines' servers do.
describe("a conversation for an engine's own server", () => {
  it("has None for content that is not there", async () => {
    const template = "{% for m in messages %}[{{ m.content }}]{% endfor %}";
    expect(await promptOf("vllm", template, { messages: [user, toolTurn] })).toBe("[hi][None]");
  });

  it("has the arguments of earlier calls as objects, dumped as Python does", async () => {
    const template = "{{ messages[1].tool_calls[0].function.arguments | tojson }}";
    expect(await promptOf("vllm", template, { messages: [user, toolTurn] })).toBe('{"b": 1.0, "10": "é"}');
  });

  it("joins text parts for a template that prints content, and leaves them to one that loops", async () => {
    const content = [
      { type: "text", text: "a" },
      { type: "text", text: "b" },
    ];
    const messages = [{ role: "user", content }];
    expect(await promptOf("vllm", "{{ messages[0].content }}", { messages })).toBe("a\nb");
    const looping = "{% for part in messages[0].content %}<{{ part.text }}>{% endfor %}";
    expect(await promptOf("vllm", looping, { messages })).toBe("<a><b>");
  });

  it("lets the client's template arguments win over the defaults", async () => {
    const body = { messages: [user], chat_template_kwargs: { add_generation_prompt: false, bos_token: "<x>" } };
    expect(await promptOf("vllm", "{{ bos_token }}{{ add_generation_prompt }}", body)).toBe("<x>False");
  });

  it.each([
    { profile: "vllm", prompt: "1" },
    { profile: "sglang", prompt: "0" },
  ] as const)("with tool_choice none has $prompt tools at $profile", async ({ profile, prompt }) => {
    const body = { messages: [user], tools, tool_choice: "none" };
    expect(await promptOf(profile, "{{ tools | length if tools else 0 }}", body)).toBe(prompt);
  });

  it("knows the declared special tokens, and no others", async () => {
    const template = "{{ bos_token }}{{ eos_token }}{{ pad_token is defined }}";
    expect(await promptOf("sglang", template, { messages: [user] })).toBe("<s><e>False");
  });
});
