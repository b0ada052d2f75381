import type { JsonValue } from "../json/index.ts";
import type { DecisionDialect } from "./decision-error.ts";

/** What a question asks: whether something is true, which option fits, or how much. */
export type QuestionKind = "predicate" | "choice" | "score";

/** One possible answer. */
export interface Candidate {
  /** Of a choice the client's value, with its JSON type; of a predicate true and false; of a score its number. */
  readonly value: string | boolean;
  /** Null when there is none. A Jev level is here as it came. */
  readonly description: JsonValue;
  /** Label of an OpenAI score level; null for all others. */
  readonly label: string | null;
}

/** One question, whichever contract it came by. */
export interface Question {
  /** Name that the client gave it; null when it gave none. */
  readonly id: string | null;
  readonly kind: QuestionKind;
  /** Null when there are none. */
  readonly instructions: JsonValue;
  /** In the client's order; of a predicate the positive first. */
  readonly candidates: readonly Candidate[];
}

/** A valid request of either contract. */
export interface DecisionRequest {
  readonly dialect: DecisionDialect;
  /** As the client names it; not blank. */
  readonly model: string;
  readonly input: JsonValue;
  readonly questions: readonly Question[];
}
