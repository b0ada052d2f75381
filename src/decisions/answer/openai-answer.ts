import { serdeDoubleText } from "../../json/index.ts";
import type { Question } from "../decision-request.ts";
import { choiceConfidence, expectedScore, modalIndex, scoreConfidence } from "./confidence.ts";
import type { AnsweredQuestion } from "./outcome.ts";

/** One answer as OpenAI's contract writes it, JSON text. */
export function openAiAnswer({ question, outcome }: AnsweredQuestion): string {
  const name = JSON.stringify(question.id);
  if (outcome.kind === "refused") return `{"type":"refusal","name":${name}}`;
  const { probabilities } = outcome;
  switch (question.kind) {
    case "predicate":
      return `{"type":"predicate","name":${name},"probability":${serdeDoubleText(probabilities[0] as number)}}`;
    case "choice": {
      const choice = JSON.stringify(question.candidates[modalIndex(probabilities)]?.value);
      const confidence = serdeDoubleText(choiceConfidence(probabilities));
      const listed = options(question, probabilities);
      return `{"type":"choice","name":${name},"choice":${choice},"probabilities":[${listed}],"confidence":${confidence}}`;
    }
    case "score": {
      const score = serdeDoubleText(expectedScore(probabilities));
      const confidence = serdeDoubleText(scoreConfidence(probabilities));
      const listed = levels(question, probabilities);
      return `{"type":"score","name":${name},"score":${score},"probabilities":[${listed}],"confidence":${confidence}}`;
    }
  }
}

function options({ candidates }: Question, probabilities: readonly number[]): string {
  return candidates
    .map(({ value }, at) => `{"value":${JSON.stringify(value)},"probability":${probabilityText(probabilities, at)}}`)
    .join(",");
}

function levels({ candidates }: Question, probabilities: readonly number[]): string {
  return candidates
    .map(
      ({ label }, at) =>
        `{"value":${at},"label":${JSON.stringify(label)},"probability":${probabilityText(probabilities, at)}}`,
    )
    .join(",");
}

function probabilityText(probabilities: readonly number[], at: number): string {
  return serdeDoubleText(probabilities[at] as number);
}
