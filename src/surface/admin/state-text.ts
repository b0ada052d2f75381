import type { ExplainedPick } from "./console-picks.ts";
import type { ConsoleState } from "./console-state.ts";

/** JSON of a state in parts: a fleet may have thousands of ranks. */
export function* stateParts({ workers, ...rest }: ConsoleState): Generator<string> {
  yield* withList(rest, "workers", workers);
}

/** JSON of an explained decision in parts. */
export function* pickParts({ explanation, ...summary }: ExplainedPick): Generator<string> {
  const { answering, prefill, ...rest } = explanation;
  yield `${opened(summary)}"explanation":${opened(rest)}"answering":`;
  yield* phaseParts(answering);
  if (prefill !== undefined) {
    yield ',"prefill":';
    yield* phaseParts(prefill);
  }
  yield "}}";
}

function* phaseParts({ candidates, ...rest }: ExplainedPick["explanation"]["answering"]): Generator<string> {
  yield* withList(rest, "candidates", candidates);
}

function* withList(rest: object, name: string, items: readonly object[]): Generator<string> {
  yield `${opened(rest)}"${name}":[`;
  for (const [i, item] of items.entries()) yield (i === 0 ? "" : ",") + JSON.stringify(item);
  yield "]}";
}

/** An object's JSON without its end, so that a member can be added. */
function opened(value: object): string {
  const text = JSON.stringify(value);
  return text === "{}" ? "{" : `${text.slice(0, -1)},`;
}
