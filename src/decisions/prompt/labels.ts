import type { Question } from "../decision-request.ts";

const LETTERS = 26;
const FIRST_LETTER = 0x41;

/** The words that stand for a question's candidates, in their order: the first token of the model's answer. */
export function labelsOf({ kind, candidates }: Pick<Question, "kind" | "candidates">): readonly string[] {
  switch (kind) {
    case "predicate":
      return ["yes", "no"];
    case "choice":
      return candidates.map((_, at) => (candidates.length <= LETTERS ? letter(at) : letterPair(at)));
    case "score":
      return candidates.map((_, at) => String(at));
  }
}

function letterPair(at: number): string {
  return letter(Math.floor(at / LETTERS)) + letter(at % LETTERS);
}

function letter(at: number): string {
  return String.fromCharCode(FIRST_LETTER + at);
}
