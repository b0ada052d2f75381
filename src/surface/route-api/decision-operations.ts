import {
  HttpError,
  inTurns,
  type JsonSchema,
  jsonAnswer,
  type Operation,
  type ParameterDescription,
} from "../../http/index.ts";
import type { DecisionLog, DecisionSummary, LoggedDecision } from "../../router/index.ts";
import { explanationParts, opened, snakeJson } from "./explanation-text.ts";

/** Characters of a request's id that are kept. */
const idLength = 128;

/** Decisions listed when nobody says how many. */
const defaultLimit = 100;

const text: JsonSchema = { type: "string" };
const integer: JsonSchema = { type: "integer" };
const rankSchema: JsonSchema = {
  type: "object",
  properties: {
    worker_id: { type: "integer", format: "uint64" },
    worker_name: text,
    dp_rank: integer,
    endpoint: text,
  },
};
const summaryProperties = {
  number: { type: "integer", description: "Counts from 1 since the start." },
  at_ms: { type: "integer", description: "When, in ms since 1970." },
  request_id: { ...text, description: "The request's `x-request-id`; absent when it has none." },
  outcome: { ...text, description: "`picked`, or the code of the refusal." },
  api: text,
  model: text,
  prompt_tokens: { type: "integer", description: "Absent when the tokens are not known." },
  prompt_blocks: { type: "integer", description: "Its complete blocks; absent when the tokens are not known." },
  held_blocks: {
    type: "integer",
    description: "Of these, the leading ones that the worker that prefills was believed to hold.",
  },
  picked: rankSchema,
  prefill: rankSchema,
} as const satisfies Record<string, JsonSchema>;

const parameters = {
  limit: {
    name: "limit",
    in: "query",
    description: `Most decisions to list; ${defaultLimit} when absent.`,
    schema: { type: "integer", minimum: 1, default: defaultLimit },
  },
  requestId: {
    name: "request_id",
    in: "query",
    description: "Only those on the request of this `x-request-id`.",
    schema: text,
  },
  number: {
    name: "number",
    in: "path",
    description: "The decision's number.",
    schema: { type: "integer", minimum: 1 },
  },
} as const satisfies Record<string, ParameterDescription>;

/** The latest decisions and their reasons: workers, overlaps, loads and costs; no prompts, tokens or hashes. */
export function decisionOperations(decisions: DecisionLog): readonly Operation[] {
  const common = { method: "GET", tag: "route", access: "token" } as const;
  return [
    {
      ...common,
      path: "/decisions",
      id: "listDecisions",
      summary: "Lists the latest decisions, the newest first",
      description:
        "Of picks that were booked and of refusals; queries are not kept. How many are kept is `decisions` in the settings.",
      parameters: [parameters.limit, parameters.requestId],
      answers: {
        200: {
          description: "The decisions.",
          schema: {
            type: "object",
            properties: {
              decisions: { type: "array", items: { type: "object", properties: summaryProperties } },
            },
          },
        },
      },
      handle: ({ query }) => {
        const summaries = decisions.recent(limitOf(query.get("limit")), query.get("request_id")?.slice(0, idLength));
        return jsonAnswer(200, inTurns(listParts(summaries)));
      },
    },
    {
      ...common,
      path: "/decisions/{number}",
      id: "explainDecision",
      summary: "Tells why a decision fell as it did: every worker with its overlap, load and cost, or what kept it out",
      parameters: [parameters.number],
      answers: {
        200: {
          description: "The decision.",
          schema: { type: "object", properties: { ...summaryProperties, explanation: { type: "object" } } },
        },
        404: { description: "It is not kept, or no longer." },
      },
      handle: ({ params }) => {
        const number = params["number"] ?? "";
        const decision = /^\d{1,15}$/.test(number) ? decisions.find(Number(number)) : undefined;
        if (decision === undefined) throw new HttpError(404, "not_found", "no such decision is kept");
        return jsonAnswer(200, inTurns(decisionParts(decision)));
      },
    },
  ];
}

function limitOf(given: string | null): number {
  if (given === null) return defaultLimit;
  if (/^[1-9]\d{0,8}$/.test(given)) return Number(given);
  throw new HttpError(400, "invalid_request", "limit must be a whole number from 1 to 999999999");
}

function* listParts(summaries: readonly DecisionSummary[]): Generator<string> {
  yield '{"decisions":[';
  for (const [i, summary] of summaries.entries()) yield (i === 0 ? "" : ",") + snakeJson(summary);
  yield "]}";
}

function* decisionParts({ explanation, ...summary }: LoggedDecision): Generator<string> {
  yield `${opened(summary)},"explanation":`;
  yield* explanationParts(explanation);
  yield "}";
}
