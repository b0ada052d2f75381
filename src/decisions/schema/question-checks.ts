import { type DecisionDialect, DecisionError } from "../decision-error.ts";
import type { Question, QuestionKind } from "../decision-request.ts";
import { isBlank } from "./blank.ts";

interface Bounds {
  readonly least: number;
  readonly most: number;
}

/** Candidates of a question, by kind. */
const bounds: Readonly<Record<DecisionDialect, Readonly<Record<QuestionKind, Bounds>>>> = {
  openai: {
    predicate: { least: 2, most: 2 },
    choice: { least: 2, most: 255 },
    score: { least: 2, most: 10 },
  },
  jev: {
    predicate: { least: 2, most: 2 },
    choice: { least: 1, most: 255 },
    score: { least: 1, most: 10 },
  },
};

/** Refuses a question that cannot be asked. @throws DecisionError */
export function checkQuestion(question: Question, dialect: DecisionDialect): void {
  const { kind, candidates } = question;
  const { least, most } = bounds[dialect][kind];
  if (candidates.length < least || candidates.length > most) {
    throw new DecisionError("invalid_request", "candidate count is outside the selected schema's bounds");
  }
  if (kind === "choice" && new Set(candidates.map(({ value }) => value)).size < candidates.length) {
    throw new DecisionError("invalid_request", "choice values must be unique including their JSON type");
  }
  const isBare = isBlank(question.instructions) && candidates.every(({ description }) => isBlank(description));
  if (dialect === "jev" && kind === "predicate" && isBare) {
    throw new DecisionError("invalid_request", "noul requires instructions or criteria");
  }
}
