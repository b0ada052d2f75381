import type { DecisionRequest } from "../decision-request.ts";
import { jevAnswer } from "./jev-answer.ts";
import { openAiAnswer } from "./openai-answer.ts";
import { answeredQuestions, type Outcome } from "./outcome.ts";
import { checkUsage, type DecisionUsage, jevUsage, openAiUsage } from "./usage.ts";

/** What a decision came to. */
export interface DecisionResult {
  /** The model's own name, whichever alias was asked for. */
  readonly model: string;
  /** One for each question, in their order. */
  readonly outcomes: readonly Outcome[];
  readonly usage: DecisionUsage;
}

/**
 * The whole answer as its contract writes it, JSON text. JSON text rather than an object: names that look like numbers keep their place,
 * and floats their `.0`.
 * @throws DecisionError invalid_result for a result that does not fit the request; refused
 */
export function answerBody(
  { dialect, questions }: DecisionRequest,
  { model, outcomes, usage }: DecisionResult,
): string {
  const answered = answeredQuestions(questions, outcomes);
  checkUsage(usage);
  const name = JSON.stringify(model);
  if (dialect === "openai") {
    return `{"model":${name},"answers":[${answered.map(openAiAnswer).join(",")}],"usage":${openAiUsage(usage)}}`;
  }
  return `{"model":${name},"answers":{${answered.map(jevAnswer).join(",")}},"usage":${jevUsage(usage)}}`;
}
