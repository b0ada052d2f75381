import { beforeAll, describe, expect, it } from "vitest";
import { ensureModelFolder, testModels } from "../../scripts/models.ts";
import { answers, type CaseAnswer } from "./answers.ts";

const tool = {
  name: "get_weather",
  description: "Get the weather",
  parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
};

/** A Responses body, and the chat body that means the same. */
const pairs = [
  {
    name: "input as text",
    responses: { input: "What is the capital of France?" },
    chat: { messages: [{ role: "user", content: "What is the capital of France?" }] },
  },
  {
    name: "instructions",
    responses: { instructions: "You are a helpful assistant.", input: "What is the capital of France?" },
    chat: {
      messages: [
        { role: "system", content: "You are a helpful assistant." },
        { role: "user", content: "What is the capital of France?" },
      ],
    },
  },
  {
    name: "instructions and a developer item become one system message",
    responses: {
      instructions: "You are a coding agent.",
      input: [
        { role: "developer", content: "Follow safety guidelines." },
        { role: "user", content: "Hi" },
      ],
    },
    chat: {
      messages: [
        { role: "system", content: "You are a coding agent.\n\nFollow safety guidelines." },
        { role: "user", content: "Hi" },
      ],
    },
  },
  {
    name: "text parts and several turns",
    responses: {
      input: [
        {
          type: "message",
          role: "user",
          content: [
            { type: "input_text", text: "one" },
            { type: "input_text", text: "two" },
          ],
        },
        {
          type: "message",
          role: "assistant",
          id: "m",
          content: [{ type: "output_text", text: "three", annotations: [] }],
        },
        { role: "user", content: "four" },
      ],
    },
    chat: {
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "one" },
            { type: "text", text: "two" },
          ],
        },
        { role: "assistant", content: "three" },
        { role: "user", content: "four" },
      ],
    },
  },
  {
    name: "tools",
    responses: { input: "Weather in Oslo?", tools: [{ type: "function", strict: false, ...tool }] },
    chat: {
      messages: [{ role: "user", content: "Weather in Oslo?" }],
      tools: [{ type: "function", function: { strict: false, ...tool } }],
    },
  },
  {
    name: "reasoning effort",
    responses: { input: "Hi", reasoning: { effort: "none" } },
    chat: { messages: [{ role: "user", content: "Hi" }], reasoning_effort: "none" },
  },
];

const streams = [{}, { stream: true }, { stream: false }];

function line(name: string, path: string, body: object): string {
  return JSON.stringify({ name, path, body });
}

describe.each(testModels)("Responses bodies on %s", (model) => {
  const lines = pairs.flatMap(({ name, responses, chat }) => [
    line(`${name}/chat`, "/v1/chat/completions", chat),
    ...streams.map((stream, at) => line(`${name}/${at}`, "/v1/responses", { ...responses, ...stream })),
  ]);
  const byName = new Map<string, CaseAnswer>();

  beforeAll(async () => {
    const given = await answers({ modelDir: ensureModelFolder(model), model, profile: "dynamo" }, lines);
    for (const answer of given) byName.set(answer.name, answer);
  });

  it.each(pairs)("give the token ids of the equivalent chat request, streaming and not: $name", ({ name }) => {
    const expected = byName.get(`${name}/chat`)?.token_ids;
    expect(expected).toEqual(expect.arrayContaining([expect.any(Number)]));
    for (const at of streams.keys()) {
      expect(byName.get(`${name}/${at}`)).toMatchObject({
        status: 200,
        api: "responses",
        token_ids: expected,
        injected: true,
      });
    }
  });
});
