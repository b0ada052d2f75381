import { serdeDoubleText, serdeJsonText } from "../../json/index.ts";
import { DecisionError } from "../decision-error.ts";
import type { Question } from "../decision-request.ts";
import { choiceConfidence, expectedScore, modalIndex, scoreConfidence } from "./confidence.ts";
import type { AnsweredQuestion } from "./outcome.ts";

/** One answer under its question's id as Jev's contract writes it, a member's JSON text. @throws DecisionError refused */
export function jevAnswer({ question, outcome }: AnsweredQuestion): string {
  if (outcome.kind === "refused") {
    const message = "the model refused a question that this response contract cannot represent";
    throw new DecisionError("refused", message);
  }
  const { probabilities, labelMass } = outcome;
  const mass = labelMass === undefined ? "" : `,"x_label_mass":${serdeDoubleText(labelMass)}`;
  return `${JSON.stringify(question.id)}:{${members(question, probabilities)}${mass}}`;
}

function members(question: Question, probabilities: readonly number[]): string {
  const { kind, candidates } = question;
  if (kind === "predicate") return `"type":"noul","noul":${serdeDoubleText(probabilities[0] as number)}`;
  const shares = byCandidate(question, (at) => serdeDoubleText(probabilities[at] as number));
  if (kind === "choice") {
    const choice = JSON.stringify(candidates[modalIndex(probabilities)]?.value);
    const confidence = serdeDoubleText(choiceConfidence(probabilities));
    return `"type":"choice","choice":${choice},"probabilities":${shares},"confidence":${confidence}`;
  }
  const score = serdeDoubleText(expectedScore(probabilities));
  const legend = byCandidate(question, (at) => serdeJsonText(candidates[at]?.description ?? null));
  const confidence = serdeDoubleText(scoreConfidence(probabilities));
  return `"type":"score","score":${score},"probabilities":${shares},"legend":${legend},"confidence":${confidence}`;
}

/** An object with a member for each candidate: their order is the request's, whatever their names look like. */
function byCandidate({ candidates }: Question, textAt: (at: number) => string): string {
  return `{${candidates.map(({ value }, at) => `${JSON.stringify(String(value))}:${textAt(at)}`).join(",")}}`;
}
