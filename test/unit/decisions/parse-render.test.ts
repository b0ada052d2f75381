import { describe, expect, it } from "vitest";
import {
  type DecisionRequest,
  parseDecision,
  type Question,
  renderQuestion,
  structuredText,
} from "../../../src/decisions/index.ts";
import { JsonReader, serdeJsonText } from "../../../src/json/index.ts";
import { outcomeOf } from "./outcome-of.ts";
import { dialectOf, type ErrorVector, vectors } from "./vectors.ts";

interface Case {
  readonly name: string;
  readonly route: string;
  readonly body?: string;
  readonly body_base64?: string;
  readonly ok?: { readonly model: string; readonly questions: readonly CanonicalQuestion[] };
  readonly rendered?: readonly { readonly content: string; readonly labels: readonly string[] }[];
  readonly error?: ErrorVector;
}

interface CanonicalQuestion {
  readonly ordinal: number;
  readonly id: string | null;
  readonly kind: string;
  readonly instructions: unknown;
  readonly candidates: readonly unknown[];
}

const { cases } = vectors<{ readonly cases: readonly Case[] }>("parse-render");

/** serde takes arrays for structs and maps for enums; here they are no match of the schema. */
const isQuirk = ({ name }: Case) => name.startsWith("quirk:");

const bytesOf = ({ body, body_base64 }: Case) =>
  body_base64 === undefined ? Buffer.from(body ?? "") : Buffer.from(body_base64, "base64");

const rendered = ({ input, questions }: DecisionRequest) =>
  questions.map((question) => renderQuestion(structuredText(input), question));

const canonical = ({ id, kind, instructions, candidates }: Question, ordinal: number): CanonicalQuestion => ({
  ordinal,
  id,
  kind: `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
  instructions: JSON.parse(serdeJsonText(instructions)),
  candidates: candidates.map((candidate) => ({
    ...candidate,
    description: JSON.parse(serdeJsonText(candidate.description)),
  })),
});

describe("a body of either contract", () => {
  it("has all 171 vectors", () => expect(cases).toHaveLength(171));

  it.each(cases.filter((each) => each.error !== undefined))("is refused: $route $name", (each) => {
    const dialect = dialectOf(each.route);
    expect(outcomeOf(dialect, () => parseDecision(bytesOf(each), dialect))).toEqual({ error: each.error });
  });

  it.each(cases.filter((each) => each.rendered !== undefined && !isQuirk(each)))("is read: $route $name", (each) => {
    const request = parseDecision(bytesOf(each), dialectOf(each.route));
    expect(rendered(request)).toEqual(each.rendered);
    expect(request.model).toBe(each.ok?.model);
    expect(request.questions.map(canonical)).toEqual(each.ok?.questions);
  });

  it.each(cases)("is the same for who looks it over first: $route $name", (each) => {
    const dialect = dialectOf(each.route);
    const bounds = { reader: new JsonReader({ internedBytes: 0, maxScannedBytes: 65_536 }), maxValues: 1_000 };
    expect(outcomeOf(dialect, () => parseDecision(bytesOf(each), dialect, bounds))).toEqual(
      outcomeOf(dialect, () => parseDecision(bytesOf(each), dialect)),
    );
  });

  it.each(cases.filter((each) => isQuirk(each)))("does not match the schema: $route $name", (each) => {
    const dialect = dialectOf(each.route);
    expect(outcomeOf(dialect, () => parseDecision(bytesOf(each), dialect))).toMatchObject({
      error: { message: "request does not match the selected decision schema" },
    });
  });
});
