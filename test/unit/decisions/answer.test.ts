import { describe, expect, it } from "vitest";
import {
  choiceConfidence,
  expectedScore,
  modalIndex,
  scoreConfidence,
} from "../../../src/decisions/answer/confidence.ts";
import { checkDistribution } from "../../../src/decisions/answer/distribution.ts";
import {
  answerBody,
  errorEnvelope,
  type Outcome,
  parseDecision,
  reduceLogprobs,
} from "../../../src/decisions/index.ts";
import { outcomeOf } from "./outcome-of.ts";
import { dialectOf, type ErrorVector, vectors } from "./vectors.ts";

type Double = number | "Infinity" | "-Infinity" | "NaN";

interface ReduceCase {
  readonly logprobs: readonly Double[];
  readonly temperature?: Double;
  readonly ok?: { readonly probabilities: readonly number[]; readonly label_mass: number };
  readonly choice_confidence?: number;
  readonly score_confidence?: number;
  readonly expected_score?: number;
  readonly modal_index?: number;
  readonly error?: Omit<ErrorVector, "body">;
}

interface ConfidenceCase {
  readonly probabilities: readonly number[];
  readonly choice_confidence: number | { readonly error: string };
  readonly score_confidence: number | { readonly error: string };
}

interface ProjectCase {
  readonly name: string;
  readonly route: string;
  readonly body: string;
  readonly outcomes: readonly {
    readonly logprobs?: readonly number[];
    readonly probabilities?: readonly number[];
    readonly label_mass?: number;
    readonly refusal?: string;
  }[];
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cached_tokens: number | null;
    readonly reasoning_tokens: number;
  };
  readonly canonical_model: string;
  readonly response_text?: string;
  readonly error?: ErrorVector;
}

const { cases: reduces } = vectors<{ readonly cases: readonly ReduceCase[] }>("reduce");
const { cases: confidences } = vectors<{ readonly cases: readonly ConfidenceCase[] }>("confidence");
const { cases: projections } = vectors<{ readonly cases: readonly ProjectCase[] }>("project");
const { cases: envelopes } = vectors<{
  readonly cases: readonly { dialect: "openai" | "jev"; case: string; code: string; body: unknown }[];
}>("envelopes");

const reduced = ({ logprobs, temperature }: ReduceCase) =>
  reduceLogprobs(logprobs.map(Number), temperature === undefined ? undefined : Number(temperature));

describe("log-probabilities brought to the candidates", () => {
  it("has all 33 vectors", () => expect(reduces).toHaveLength(33));

  it.each(reduces.filter(({ ok }) => ok !== undefined))("of $logprobs at $temperature", (each) => {
    const { probabilities, labelMass } = reduced(each);
    expect({ probabilities, label_mass: labelMass }).toEqual(each.ok);
    expect(choiceConfidence(probabilities)).toBeCloseTo(each.choice_confidence as number, 12);
    expect(scoreConfidence(probabilities)).toBeCloseTo(each.score_confidence as number, 12);
    expect(expectedScore(probabilities)).toBeCloseTo(each.expected_score as number, 12);
    expect(modalIndex(probabilities)).toBe(each.modal_index);
  });

  it.each(reduces.filter(({ error }) => error !== undefined))("refuses $logprobs at $temperature", (each) => {
    expect(outcomeOf("openai", () => reduced(each))).toMatchObject({ error: each.error });
  });
});

describe("confidence", () => {
  it("has all 16 vectors", () => expect(confidences).toHaveLength(16));

  it.each(confidences)("of $probabilities", ({ probabilities, choice_confidence, score_confidence }) => {
    if (typeof choice_confidence === "object") {
      expect(() => checkDistribution({ probabilities, labelMass: undefined })).toThrow(choice_confidence.error);
      return;
    }
    checkDistribution({ probabilities, labelMass: undefined });
    expect(choiceConfidence(probabilities)).toBeCloseTo(choice_confidence, 12);
    expect(scoreConfidence(probabilities)).toBeCloseTo(score_confidence as number, 12);
  });
});

function outcomes({ outcomes: given }: ProjectCase): readonly Outcome[] {
  return given.map(({ logprobs, probabilities, label_mass, refusal }): Outcome => {
    if (refusal !== undefined) return { kind: "refused" };
    if (logprobs !== undefined) return { kind: "scored", ...reduceLogprobs(logprobs) };
    return { kind: "scored", probabilities: probabilities ?? [], labelMass: label_mass };
  });
}

function projected(each: ProjectCase): string {
  const { usage } = each;
  return answerBody(parseDecision(Buffer.from(each.body), dialectOf(each.route)), {
    model: each.canonical_model,
    outcomes: outcomes(each),
    usage: {
      inputTokens: usage.input_tokens,
      outputTokens: usage.output_tokens,
      cachedTokens: usage.cached_tokens ?? undefined,
      reasoningTokens: usage.reasoning_tokens,
    },
  });
}

describe("the answer of a contract", () => {
  it("has all 21 vectors", () => expect(projections).toHaveLength(21));

  it.each(projections.filter(({ error }) => error === undefined))("is byte for byte: $name", (each) => {
    expect(projected(each)).toBe(each.response_text);
  });

  it.each(projections.filter(({ error }) => error !== undefined))("cannot be: $name", (each) => {
    expect(outcomeOf(dialectOf(each.route), () => projected(each))).toEqual({ error: each.error });
  });
});

describe("the envelope of an error", () => {
  it("has all 26 vectors", () => expect(envelopes).toHaveLength(26));

  it.each(envelopes)("$dialect $case", ({ dialect, code, body }) => {
    expect(JSON.parse(errorEnvelope(dialect, code, "m"))).toEqual(body);
  });
});
