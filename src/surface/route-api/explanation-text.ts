import type { LoggedDecision } from "../../router/index.ts";
import { exactJson, withSnakeKeys } from "./json-text.ts";

type Explanation = LoggedDecision["explanation"];

/** The JSON text of why a request went where it went, in parts: a fleet may have thousands of ranks, and each is one. */
export function* explanationParts({ answering, prefill, ...rest }: Explanation): Generator<string> {
  yield `${opened(rest)},"answering":`;
  yield* phaseParts(answering);
  if (prefill !== undefined) {
    yield ',"prefill":';
    yield* phaseParts(prefill);
  }
  yield "}";
}

function* phaseParts({ candidates, ...rest }: Explanation["answering"]): Generator<string> {
  yield `${opened(rest)},"candidates":[`;
  for (const [i, candidate] of candidates.entries()) yield (i === 0 ? "" : ",") + snakeJson(candidate);
  yield "]}";
}

/** An object's text, with the wire's spelling of its keys. */
export function snakeJson(value: object): string {
  return exactJson(withSnakeKeys(value));
}

/** The same without its end, so that members can be added. */
export function opened(value: object): string {
  return snakeJson(value).slice(0, -1);
}
