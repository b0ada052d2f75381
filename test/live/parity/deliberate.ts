import type { OracleAnswer } from "../../../scripts/oracle/oracle.ts";
import type { CaseAnswer } from "../../parity/answers.ts";
import type { ComposedBody } from "./bodies/body.ts";
import type { JsonNode } from "./bodies/json-node.ts";

/** Where we differ from the frontend on purpose: a heading of docs/parity.md, which has the reason. */
export interface DeliberateDifference {
  readonly name: string;
  /** Whether the rule explains a difference. */
  readonly explains: (difference: AnsweredBody) => boolean;
}

/** A body with the answers of both sides. */
export interface AnsweredBody {
  readonly body: Pick<ComposedBody, "path" | "tree">;
  readonly ours: CaseAnswer;
  readonly theirs: Pick<OracleAnswer, "status">;
}

/** Our refusal of a word that is not in a list. */
const wordExpected = /must be (one of )?[a-z_]+(,| or|$)|is not a known item type|is not a supported type/;

/** All of docs/parity.md that a body can show. */
export const deliberateDifferences: readonly DeliberateDifference[] = [
  {
    name: "Words are not given as numbers",
    explains: (answered) =>
      refusesMore(answered) && isNumber(refusedNode(answered)) && wordExpected.test(answered.ours.error?.message ?? ""),
  },
  {
    name: "Objects are not given as arrays",
    explains: (answered) => refusesMore(answered) && refusedNode(answered)?.kind === "array",
  },
  {
    name: "A batch is refused whole",
    explains: ({ ours, theirs }) =>
      theirs.status === 200 && ours.status === 400 && /^prompt\[[1-9]\d*\]/.test(ours.error?.field ?? ""),
  },
  {
    name: "The whole body is JSON",
    explains: ({ body, ours, theirs }) =>
      body.path === "/v1/messages" &&
      theirs.status !== 400 &&
      ours.status === 400 &&
      ours.error?.message.startsWith("the body is not JSON: ") === true,
  },
];

/** The first rule that explains a difference. */
export function deliberateDifference(answered: AnsweredBody): DeliberateDifference | undefined {
  return deliberateDifferences.find((rule) => rule.explains(answered));
}

/** We answer 400 to what the frontend takes, or refuses for another reason. */
function refusesMore({ ours, theirs }: AnsweredBody): boolean {
  return ours.status === 400 && theirs.status !== 400;
}

/** What stands in the body at the field that our refusal names. */
function refusedNode({ body, ours }: AnsweredBody): JsonNode | undefined {
  const steps = (ours.error?.field ?? "").split(/[.[\]]+/).filter((step) => step !== "");
  return steps.reduce<JsonNode | undefined>(childOf, body.tree);
}

function childOf(parent: JsonNode | undefined, step: string): JsonNode | undefined {
  if (parent?.kind === "array") return parent.items[Number(step)];
  return parent?.kind === "object" ? parent.members.findLast(([key]) => key === step)?.[1] : undefined;
}

function isNumber(value: JsonNode | undefined): boolean {
  return value?.kind === "lexeme" && /^\d+$/.test(value.lexeme);
}
