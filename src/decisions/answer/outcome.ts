import type { Question } from "../decision-request.ts";
import { checkDistribution, type Distribution, invalidResult } from "./distribution.ts";

/** What became of one question. */
export type Outcome = ({ readonly kind: "scored" } & Distribution) | { readonly kind: "refused" };

/** A question with its outcome. */
export interface AnsweredQuestion {
  readonly question: Question;
  readonly outcome: Outcome;
}

/** Pairs questions with their outcomes, in order. @throws DecisionError invalid_result where they do not fit */
export function answeredQuestions(
  questions: readonly Question[],
  outcomes: readonly Outcome[],
): readonly AnsweredQuestion[] {
  if (outcomes.length !== questions.length) throw invalidResult("executor outcome count differs from the request");
  return questions.map((question, at) => {
    const outcome = outcomes[at] as Outcome;
    if (outcome.kind === "scored") checkOutcome(question, outcome);
    return { question, outcome };
  });
}

function checkOutcome({ candidates }: Question, distribution: Distribution): void {
  if (distribution.probabilities.length !== candidates.length) {
    throw invalidResult("executor candidate cardinality differs from the request");
  }
  checkDistribution(distribution);
}
