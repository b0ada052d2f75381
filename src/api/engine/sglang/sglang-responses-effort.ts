import type { JsonObject } from "../../../json/index.ts";
import { given, notTaken, optionalObject } from "../members.ts";
import { responseEffort } from "../responses.ts";
import { sglangEfforts } from "./sglang-template-args.ts";

/** The effort of a Responses request: where `reasoning` is given without one it is medium; null is none. */
export function sglangResponseEffort(root: JsonObject): string | undefined {
  const reasoning = optionalObject(root, "reasoning");
  if (reasoning !== undefined && !reasoning.has("effort")) {
    if (given(reasoning, "reasoning_effort") !== undefined) throw notTaken("reasoning");
    return "medium";
  }
  return responseEffort(root, sglangEfforts);
}
