import { describe, expect, it } from "vitest";
import { httpStatusByCode, RoutingError } from "../../../src/errors/index.ts";
import { parseText, readLines } from "./fixtures.ts";

interface Case {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
  readonly raw?: string;
}

interface Answer {
  readonly name: string;
  readonly model: string;
  readonly status: number;
  /** Messages have Anthropic's envelope, one level deeper. */
  readonly error?: { readonly message?: string; readonly error?: { readonly message: string } };
}

const model = "qwen3";
const answers = new Map(
  readLines<Answer>("parity/expected.jsonl")
    .filter((answer) => answer.model === model)
    .map((answer) => [answer.name, answer]),
);
const cases = readLines<Case>("parity/cases.jsonl");

/** The status of what is decided before the template: 200 when it is the template that the frontend stumbled over. */
function decidedStatus(answer: Answer): number {
  const message = answer.error?.error?.message ?? answer.error?.message;
  return answer.status === 400 && message === "Invalid request" ? 200 : answer.status;
}

function statusOf(entry: Case): number {
  try {
    const parsed = parseText(entry.path, entry.raw ?? JSON.stringify({ model, ...entry.body }));
    return parsed.api === "promptless" ? 0 : 200;
  } catch (error) {
    if (error instanceof RoutingError) return httpStatusByCode[error.code];
    throw error;
  }
}

describe("the frontend's verdict on real bodies", () => {
  it("covers chat, completions, Responses and Messages", () => {
    expect(new Set(cases.map((entry) => entry.path)).size).toBe(4);
    expect(cases.length).toBeGreaterThan(350);
  });

  it.each(cases.map((entry) => [entry.name, entry] as const))("%s", (name, entry) => {
    const answer = answers.get(name);
    expect(answer).toBeDefined();
    if (answer !== undefined) expect(statusOf(entry)).toBe(decidedStatus(answer));
  });
});
