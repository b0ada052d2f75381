import type { JsonSchema } from "../../../http/index.ts";
import { closed } from "./openai-schemas.ts";

const structured: JsonSchema = { type: ["string", "object", "array"] };
const mayBeNull: JsonSchema = { type: ["string", "object", "array", "null"] };
const probability: JsonSchema = { type: "number", minimum: 0, maximum: 1 };

const sides: JsonSchema = {
  type: ["object", "null"],
  properties: { true: mayBeNull, false: mayBeNull },
  additionalProperties: false,
};
const options: JsonSchema = { type: "object", minProperties: 1, maxProperties: 255, additionalProperties: mayBeNull };
const levels: JsonSchema = { type: "array", minItems: 1, maxItems: 10, items: structured };

const question: JsonSchema = {
  anyOf: [
    closed({ type: { const: "noul" }, instructions: mayBeNull, criteria: sides }, ["type"]),
    closed({ type: { const: "choice" }, instructions: mayBeNull, criteria: options }, ["type", "criteria"]),
    closed({ type: { const: "score" }, instructions: mayBeNull, criteria: levels }, ["type", "criteria"]),
  ],
};

const off: JsonSchema = { const: false };
/** May not be there. */
const never: JsonSchema = { not: {} };

/** A body of `/v1/systemone`. */
export const jevRequest: JsonSchema = {
  type: "object",
  description: "Unknown members are passed over, but for `nvext` and controls of other APIs, which are refused.",
  properties: {
    model: { type: "string", description: "A model's name or alias." },
    state: { ...structured, description: "What the questions are about; what is no text is shown as JSON." },
    questions: {
      type: "object",
      minProperties: 1,
      maxProperties: 128,
      additionalProperties: question,
      description: "By id. Their order is that of the answers.",
    },
    images: { type: "array", maxItems: 0 },
    chat_template_kwargs: closed({ enable_thinking: off, thinking: off }, []),
    nvext: never,
    temperature: never,
    prompt_format_version: never,
    return_prompt_token_ids: never,
  },
  required: ["model", "state", "questions"],
};

const mass = { x_label_mass: { ...probability, description: "How likely the next token is any of the labels." } };

const answer: JsonSchema = {
  anyOf: [
    closed({ type: { const: "noul" }, noul: probability, ...mass }, ["type", "noul"]),
    closed(
      {
        type: { const: "choice" },
        choice: { type: "string", description: "The likeliest option; of equal ones the first." },
        probabilities: { type: "object", additionalProperties: probability },
        confidence: probability,
        ...mass,
      },
      ["type", "choice", "probabilities", "confidence"],
    ),
    closed(
      {
        type: { const: "score" },
        score: { type: "number", minimum: 0, description: "Mean of the levels, weighted." },
        probabilities: { type: "object", additionalProperties: probability },
        legend: { type: "object", additionalProperties: structured },
        confidence: probability,
        ...mass,
      },
      ["type", "score", "probabilities", "legend", "confidence"],
    ),
  ],
};

const count: JsonSchema = { type: "integer", minimum: 0 };

/** An answer of `/v1/systemone`. */
export const jevResponse: JsonSchema = closed(
  {
    model: { type: "string", description: "The model's own name." },
    answers: { type: "object", additionalProperties: answer },
    usage: closed({ input_tokens: count, output_tokens: count }, ["input_tokens", "output_tokens"]),
  },
  ["model", "answers", "usage"],
);

const place = closed(
  { loc: { type: "array", items: { type: "string" } }, msg: { type: "string" }, type: { type: "string" } },
  ["loc", "msg", "type"],
);

/** An error of `/v1/systemone`: a list where the request is at fault, else a text. */
export const jevError: JsonSchema = {
  anyOf: [
    closed({ detail: { type: "array", items: place } }, ["detail"]),
    closed({ detail: { type: "string" }, code: { type: "string" } }, ["detail", "code"]),
  ],
};
