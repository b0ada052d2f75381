import { FieldError } from "./fields/index.ts";

const MAX_GRAMMAR_DEPTH = 500;

/** Constraints of what a model may answer, as the body names them. */
export interface GuidedFields {
  readonly guided_json?: unknown;
  readonly guided_regex?: string | undefined;
  readonly guided_grammar?: string | undefined;
  readonly guided_choice?: readonly string[] | undefined;
}

/** Names of the constraints that are given; an empty list of choices is none. */
export function guidedConstraints(request: GuidedFields): readonly string[] {
  const { guided_json: json, guided_regex: regex, guided_grammar: grammar, guided_choice: choice } = request;
  return [
    ...(json === undefined ? [] : ["guided_json"]),
    ...(regex === undefined ? [] : ["guided_regex"]),
    ...((choice?.length ?? 0) === 0 ? [] : ["guided_choice"]),
    ...(grammar === undefined ? [] : ["guided_grammar"]),
  ];
}

/**
 * At most one constraint (dynamo-llm@1.6.1 common.rs GuidedDecodingOptions). A JSON `response_format` is one more, beside which
 * only `guided_json` may stand: it takes the format's place.
 * @throws FieldError
 */
export function checkGuidedDecoding(request: GuidedFields, hasJsonFormat: boolean): void {
  const given = guidedConstraints(request);
  const [first, second] = given;
  const isOneTooMany = second !== undefined || (hasJsonFormat && first !== undefined && first !== "guided_json");
  if (isOneTooMany) throw new FieldError("cannot be combined with another guided-decoding constraint", given.at(-1));
  if (request.guided_grammar !== undefined && bracketDepth(request.guided_grammar) > MAX_GRAMMAR_DEPTH) {
    throw new FieldError(`nests deeper than ${MAX_GRAMMAR_DEPTH} levels`, "guided_grammar");
  }
}

function bracketDepth(grammar: string): number {
  let depth = 0;
  let deepest = 0;
  for (const character of grammar) {
    if ("([{".includes(character)) deepest = Math.max(deepest, ++depth);
    else if (")]}".includes(character)) depth = Math.max(0, depth - 1);
  }
  return deepest;
}
