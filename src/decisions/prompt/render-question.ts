import type { Candidate, Question, QuestionKind } from "../decision-request.ts";
import { isBlank } from "../schema/blank.ts";
import { labelsOf } from "./labels.ts";
import { structuredText } from "./structured-text.ts";

/** A question as the content of one user message, and the labels that may answer it. */
export interface RenderedQuestion {
  /** Ends with the line that `closingLine` gives. */
  readonly content: string;
  readonly labels: readonly string[];
}

const closings: Readonly<Record<QuestionKind, string>> = {
  predicate: "Answer with yes or no only.",
  choice: "Answer with the letter of one option only.",
  score: "Answer with the number of one level only.",
};

/**
 * Prompt format 1. Names of questions never enter it.
 * @param input the request's, as `structuredText` makes it: one string for all questions
 */
export function renderQuestion(input: string, question: Question): RenderedQuestion {
  const labels = labelsOf(question);
  const lines = [...headLines(question), ...candidateLines(question, labels), closings[question.kind]];
  return { content: `${input}\n\n${lines.join("\n")}`, labels };
}

function headLines({ kind, instructions }: Question): readonly string[] {
  const text = isBlank(instructions) ? "" : structuredText(instructions);
  if (kind === "predicate") return [text === "" ? "Is the following true?" : `Is the following true? ${text}`];
  return text === "" ? [] : [`Question: ${text}`];
}

function candidateLines({ kind, candidates }: Question, labels: readonly string[]): readonly string[] {
  if (kind === "predicate") {
    return candidates.flatMap(({ description }, at) => {
      const text = structuredText(description);
      return text === "" ? [] : [`${labels[at]}: ${text}`];
    });
  }
  // Without quotes "true" and true would look alike.
  const areQuoted = candidates.some(({ value }) => typeof value === "boolean");
  return candidates.map((candidate, at) => `${labels[at]}: ${candidateText(kind, candidate, areQuoted)}`);
}

function candidateText(kind: QuestionKind, { value, description, label }: Candidate, isQuoted: boolean): string {
  const text = structuredText(description);
  // A Jev level is its description alone.
  if (kind === "score" && label === null) return text;
  const name = label ?? (isQuoted ? JSON.stringify(value) : String(value));
  return text === "" ? name : `${name} - ${text}`;
}
