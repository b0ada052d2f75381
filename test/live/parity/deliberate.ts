import type { OracleAnswer } from "../../../scripts/oracle/oracle.ts";
import type { CaseAnswer } from "../../parity/answers.ts";
import type { ComposedBody } from "./bodies/body.ts";

/** A rule of docs/parity.md: where we differ from the frontend on purpose. */
export interface DeliberateDifference {
  /** Its heading there. */
  readonly name: string;
  /** Whether the rule explains a difference. */
  readonly explains: (difference: Pair) => boolean;
}

interface Pair {
  readonly body: ComposedBody;
  readonly ours: CaseAnswer;
  readonly theirs: OracleAnswer;
}

const rules: readonly DeliberateDifference[] = [
  {
    name: "prompts with media are routed by load",
    explains: ({ ours, theirs }) => ours.status === 200 && ours.token_ids === null && theirs.status === 200,
  },
];

/** The first rule that explains a difference. */
export function deliberateDifference(pair: Pair): DeliberateDifference | undefined {
  return rules.find((rule) => rule.explains(pair));
}
