import { isDeepStrictEqual } from "node:util";
import { answers, type CaseAnswer } from "./answers.ts";
import { caseLines, type Expectation } from "./expectations.ts";

/** One case of one model. */
export interface Outcome {
  readonly name: string;
  /** First two parts of the name. */
  readonly group: string;
  readonly isPassed: boolean;
  /** How ours differs; "" when it does not. */
  readonly difference: string;
}

/** Answers every case for a model, and compares with what the frontend did. */
export async function compareModel(
  model: { readonly name: string; readonly folder: string },
  expected: ReadonlyMap<string, Expectation>,
): Promise<readonly Outcome[]> {
  const given = await answers({ modelDir: model.folder, model: model.name, profile: "dynamo" }, caseLines());
  return given.map((answer) => {
    const difference = differenceOf(answer, expected.get(answer.name));
    const group = answer.name.split("/").slice(0, 2).join("/");
    return { name: answer.name, group, isPassed: difference === "", difference };
  });
}

function differenceOf(answer: CaseAnswer, expected: Expectation | undefined): string {
  if (expected === undefined) return "no expectation";
  if (answer.status !== expected.status) return `status ${answer.status}, expected ${expected.status}`;
  if (expected.status !== 200) return "";
  if (answer.token_ids === null) return "tokens not known";
  return isDeepStrictEqual(answer.token_ids, expected.token_ids) ? "" : "other token ids";
}
