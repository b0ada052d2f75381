import { describe, expect, it } from "vitest";
import { type DecisionDialect, parseDecision, renderQuestion } from "../../../src/decisions/index.ts";
import { outcomeOf } from "./outcome-of.ts";
import { type ErrorVector, vectors } from "./vectors.ts";

interface Case {
  readonly gen: keyof typeof generators;
  readonly count: number;
  readonly ok?: true;
  readonly questions?: number;
  readonly candidates0?: number;
  readonly label_first?: string;
  readonly label_26th?: string | null;
  readonly label_last?: string;
  readonly error?: ErrorVector;
}

const repeated = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const predicate = { type: "predicate", instructions: "k" };
const openai = (rest: object) => JSON.stringify({ model: "m", input: "x", questions: [predicate], ...rest });
const jev = (questions: object, state: unknown = "x") => JSON.stringify({ model: "m", state, questions });
const noul = { q: { type: "noul", instructions: "k" } };

/** A trivial question, option, level, character or bracket, `count` times. */
const generators = {
  openai_questions: (count: number) => openai({ questions: repeated(count, () => predicate) }),
  jev_questions: (count: number) => jev(Object.fromEntries(repeated(count, (at) => [`q${at}`, noul.q]))),
  openai_choices: (count: number) =>
    openai({
      questions: [{ type: "choice", instructions: "k", choices: repeated(count, (at) => ({ value: `v${at}` })) }],
    }),
  jev_choices: (count: number) =>
    jev({ q: { type: "choice", criteria: Object.fromEntries(repeated(count, (at) => [`v${at}`, null])) } }),
  openai_levels: (count: number) =>
    openai({
      questions: [{ type: "score", instructions: "k", levels: repeated(count, (at) => ({ label: `l${at}` })) }],
    }),
  jev_levels: (count: number) => jev({ q: { type: "score", criteria: repeated(count, (at) => `l${at}`) } }),
  openai_safety_identifier_chars: (count: number) => openai({ safety_identifier: "é".repeat(count) }),
  openai_instructions_chars: (count: number) =>
    openai({ questions: [{ ...predicate, instructions: "é".repeat(count) }] }),
  openai_model_chars: (count: number) => openai({ model: "é".repeat(count) }),
  jev_nesting: (count: number) =>
    `{"model":"m","state":${"[".repeat(count)}${"]".repeat(count)},"questions":${JSON.stringify(noul)}}`,
};

const { cases } = vectors<{ readonly cases: readonly Case[] }>("limits");
const dialectOf = (gen: string): DecisionDialect => (gen.startsWith("openai") ? "openai" : "jev");

describe("limits of a request", () => {
  it("has all 38 vectors", () => expect(cases).toHaveLength(38));

  it.each(cases.filter(({ error }) => error !== undefined))("refuses $gen of $count", ({ gen, count, error }) => {
    const body = Buffer.from(generators[gen](count));
    expect(outcomeOf(dialectOf(gen), () => parseDecision(body, dialectOf(gen)))).toEqual({ error });
  });

  it.each(cases.filter(({ ok }) => ok === true))("takes $gen of $count", ({ gen, count, ...expected }) => {
    const { questions } = parseDecision(Buffer.from(generators[gen](count)), dialectOf(gen));
    const [first] = questions;
    if (first === undefined) throw new Error("there is no question");
    if (expected.questions !== undefined) expect(questions).toHaveLength(expected.questions);
    if (expected.candidates0 !== undefined) expect(first.candidates).toHaveLength(expected.candidates0);
    if (expected.label_first === undefined) return;
    const { labels } = renderQuestion("x", first);
    expect([labels[0], labels[25] ?? null, labels.at(-1)]).toEqual([
      expected.label_first,
      expected.label_26th ?? null,
      expected.label_last,
    ]);
  });
});
