import { expect, it } from "vitest";
import { checkCapabilities, parseDecision } from "../../../src/decisions/index.ts";
import { outcomeOf } from "./outcome-of.ts";
import { dialectOf, type ErrorVector, vectors } from "./vectors.ts";

interface Case {
  readonly name: string;
  readonly route: string;
  readonly json: unknown;
  readonly capabilities: {
    readonly max_questions: number;
    readonly max_candidates: number;
    readonly supports_predicate: boolean;
    readonly supports_choice: boolean;
    readonly supports_score: boolean;
    readonly measured_cache_reads: boolean;
    readonly prompt_format_version: number;
  };
  readonly error?: ErrorVector;
}

const { cases } = vectors<{ readonly cases: readonly Case[] }>("capabilities");

it("has all 9 vectors", () => expect(cases).toHaveLength(9));

it.each(cases)("a profile's capabilities: $name", ({ route, json, capabilities, error }) => {
  const dialect = dialectOf(route);
  const check = () =>
    checkCapabilities(parseDecision(Buffer.from(JSON.stringify(json)), dialect), {
      maxQuestions: capabilities.max_questions,
      maxCandidates: capabilities.max_candidates,
      supportsPredicate: capabilities.supports_predicate,
      supportsChoice: capabilities.supports_choice,
      supportsScore: capabilities.supports_score,
      measuresCacheReads: capabilities.measured_cache_reads,
      promptFormatVersion: capabilities.prompt_format_version,
    });
  expect(outcomeOf(dialect, check)).toEqual(error === undefined ? { ok: undefined } : { error });
});
