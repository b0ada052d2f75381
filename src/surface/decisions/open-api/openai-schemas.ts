import type { JsonSchema } from "../../../http/index.ts";

const text = (maxLength: number): JsonSchema => ({ type: "string", maxLength });
const longText = text(1_048_576);
const probability: JsonSchema = { type: "number", minimum: 0, maximum: 1 };

/** An object that takes these members and no others. */
export function closed(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: "object", properties, required: [...required], additionalProperties: false };
}

const textPart = closed({ type: { const: "input_text" }, text: text(10_485_760) }, ["type", "text"]);

const message = closed(
  {
    role: { const: "user" },
    type: { const: "message" },
    content: { anyOf: [text(10_485_760), { type: "array", minItems: 1, items: textPart }] },
  },
  ["role", "content"],
);

const asked = { instructions: longText, name: longText };

const option = closed({ value: { type: ["string", "boolean"] }, description: longText }, ["value"]);
const level = closed({ label: longText, description: longText }, ["label"]);

const question: JsonSchema = {
  anyOf: [
    closed({ type: { const: "predicate" }, ...asked }, ["type", "instructions"]),
    closed(
      { type: { const: "choice" }, ...asked, choices: { type: "array", minItems: 2, maxItems: 255, items: option } },
      ["type", "instructions", "choices"],
    ),
    closed({ type: { const: "score" }, ...asked, levels: { type: "array", minItems: 2, maxItems: 10, items: level } }, [
      "type",
      "instructions",
      "levels",
    ]),
  ],
};

/** A body of `/v1/decisions`. */
export const openAiRequest: JsonSchema = closed(
  {
    model: { ...longText, description: "A model's name or alias." },
    input: {
      anyOf: [text(10_485_760), { type: "array", minItems: 1, items: message }],
      description: "What the questions are about: text, or messages of users.",
    },
    questions: { type: "array", minItems: 1, maxItems: 128, items: question },
    safety_identifier: { type: ["string", "null"], maxLength: 128, description: "Not looked at." },
  },
  ["model", "input", "questions"],
);

const named = { name: { type: ["string", "null"] } };

const answer: JsonSchema = {
  anyOf: [
    closed({ type: { const: "predicate" }, ...named, probability }, ["type", "name", "probability"]),
    closed(
      {
        type: { const: "choice" },
        ...named,
        choice: { type: ["string", "boolean"], description: "The likeliest option; of equal ones the first." },
        probabilities: {
          type: "array",
          items: closed({ value: { type: ["string", "boolean"] }, probability }, ["value", "probability"]),
        },
        confidence: probability,
      },
      ["type", "name", "choice", "probabilities", "confidence"],
    ),
    closed(
      {
        type: { const: "score" },
        ...named,
        score: { type: "number", minimum: 0, description: "Mean of the levels, weighted." },
        probabilities: {
          type: "array",
          items: closed({ value: { type: "integer" }, label: { type: "string" }, probability }, [
            "value",
            "label",
            "probability",
          ]),
        },
        confidence: probability,
      },
      ["type", "name", "score", "probabilities", "confidence"],
    ),
    closed({ type: { const: "refusal" }, ...named }, ["type", "name"]),
  ],
};

const count: JsonSchema = { type: "integer", minimum: 0 };

/** An answer of `/v1/decisions`. */
export const openAiResponse: JsonSchema = closed(
  {
    model: { type: "string", description: "The model's own name." },
    answers: { type: "array", items: answer },
    usage: closed(
      {
        input_tokens: count,
        output_tokens: count,
        total_tokens: count,
        input_tokens_details: closed({ cached_tokens: count, cache_write_tokens: count }, [
          "cached_tokens",
          "cache_write_tokens",
        ]),
        output_tokens_details: closed({ reasoning_tokens: count }, ["reasoning_tokens"]),
      },
      ["input_tokens", "output_tokens", "total_tokens", "input_tokens_details", "output_tokens_details"],
    ),
  },
  ["model", "answers", "usage"],
);

/** An error of `/v1/decisions`. */
export const openAiError: JsonSchema = closed(
  {
    error: closed(
      { message: { type: "string" }, type: { type: "string" }, param: { type: "null" }, code: { type: "string" } },
      ["message", "type", "param", "code"],
    ),
  },
  ["error"],
);
