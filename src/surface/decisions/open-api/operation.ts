import type { JsonSchema } from "../../../http/index.ts";
import type { DecisionRouteName } from "../telemetry.ts";
import { jevError, jevRequest, jevResponse } from "./jev-schemas.ts";
import { openAiError, openAiRequest, openAiResponse } from "./openai-schemas.ts";

interface Contract {
  readonly id: string;
  readonly summary: string;
  readonly request: JsonSchema;
  readonly response: JsonSchema;
  readonly error: JsonSchema;
  /** Status of a request that is not as the contract says. */
  readonly invalid: number;
}

/** Operations of the two routes, by name, as an OpenAPI 3.1 document has them. */
export function decisionOperation(route: DecisionRouteName): object {
  return operation(route === "decisions" ? decisions : systemone);
}

const decisions: Contract = {
  id: "createDecision",
  summary: "Answers questions about a text, by OpenAI's contract.",
  request: openAiRequest,
  response: openAiResponse,
  error: openAiError,
  invalid: 400,
};

const systemone: Contract = {
  id: "systemOne",
  summary: "Answers questions about a state, by the contract of Jev's System One.",
  request: jevRequest,
  response: jevResponse,
  error: jevError,
  invalid: 422,
};

function operation({ id, summary, request, response, error, invalid }: Contract): object {
  const failures: Readonly<Record<number, string>> = {
    400: "The body is no JSON with unique keys, or the model makes no decisions.",
    [invalid]:
      invalid === 400
        ? "The request is not as the contract says, or no JSON."
        : "The request is not as the contract says.",
    404: "The model is not known.",
    413: "The body is too long.",
    415: "The body is not said to be JSON.",
    429: "There is no room; `Retry-After` says when to ask again.",
    500: "The worker's answer cannot be read.",
    502: "The worker's answer does not hold what the contract needs.",
    503: "No worker can do it, or the one that did is gone.",
    504: "It took too long.",
  };
  const described = Object.entries(failures).map(([status, description]) => [status, answerOf(description, error)]);
  return {
    operationId: id,
    summary,
    security: [{ bearer: [] }, { key: [] }, {}],
    requestBody: { required: true, content: json(request) },
    responses: { 200: answerOf("The answers.", response, versioned), ...Object.fromEntries(described) },
  };
}

const identified = {
  "x-request-id": { schema: { type: "string" }, description: "The request's id: the client's own, or a new one." },
  "x-typesafe-request-id": { schema: { type: "string" }, description: "The same." },
};

const versioned = { ...identified, "x-dynamo-systemone-version": { schema: { const: "1" } } };

function answerOf(description: string, schema: JsonSchema, headers: object = identified): object {
  return { description, headers, content: json(schema) };
}

function json(schema: JsonSchema): object {
  return { "application/json": { schema } };
}
