import type { DecisionBench } from "./decision-bench.ts";
import { score } from "./scorer.ts";

/** A way for a request to fail, and what a client that speaks either contract sees of it. */
export interface ErrorScenario {
  readonly name: string;
  readonly openai: number;
  readonly jev: number;
  /** Code in OpenAI's envelope. */
  readonly code: string;
  /** Model that is asked for. */
  readonly model: string;
  /** Options of the choice: what is asked. */
  readonly options: number;
  /** How often the worker is asked before the client gives up: SDKs retry twice. */
  readonly asked: number;
  /** What the worker does. */
  readonly behave: DecisionBench["scorer"]["worker"]["behave"];
}

const asked = 3;
const own = { model: "jev-latest", options: 2, behave: score };

/** One of each class of errors that a client can run into. */
export const errorScenarios: readonly ErrorScenario[] = [
  { ...own, name: "unknown model", openai: 404, jev: 404, code: "model_not_found", model: "nobody", asked: 0 },
  { ...own, name: "too many options", openai: 400, jev: 422, code: "invalid_request_error", options: 43, asked: 0 },
  { ...own, name: "not scorable", openai: 400, jev: 400, code: "invalid_request_error", model: "other", asked: 0 },
  {
    ...own,
    name: "no room",
    openai: 429,
    jev: 429,
    code: "rate_limit_exceeded",
    asked,
    behave: (response) => void response.writeHead(429).end(),
  },
  {
    ...own,
    name: "malformed scores",
    openai: 500,
    jev: 500,
    code: "server_error",
    asked,
    behave: (response) => void response.writeHead(200).end("data: {}\n\n"),
  },
  {
    ...own,
    name: "worker gone",
    openai: 503,
    jev: 503,
    code: "server_error",
    asked,
    behave: (response) => void response.writeHead(404).end(),
  },
  { ...own, name: "too slow", openai: 504, jev: 504, code: "server_error", asked, behave: () => undefined },
];

/** Settings under which they happen. */
export const scenarioApi = "deadlineMs: 1000, retryAfterSeconds: 0";
