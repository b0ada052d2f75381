import type { ExplainedPick, PickList, PickSummary } from "./console-picks.ts";
import type { ConsoleFrame, StateReading } from "./state-reading.ts";

/** JSON of a state in parts, made as it is read: a fleet may have thousands of ranks. @returns what it has beside its workers */
export function* stateParts(reading: StateReading): Generator<string, ConsoleFrame> {
  // A part for each rank, and no others: each costs a look at the clock.
  let before = '{"workers":[';
  let separator = "";
  for (const worker of reading.workers()) {
    if (worker === undefined) {
      yield "";
      continue;
    }
    const { ranks, ...head } = worker;
    before += `${separator}${opened(head)}"ranks":[`;
    for (const part of itemParts(ranks)) {
      yield before + part;
      before = "";
    }
    before += "]}";
    separator = ",";
  }
  const frame = yield* waiting(reading.frame());
  const { history, ...rest } = frame;
  yield `${before}],"history":{`;
  yield* memberParts(history);
  yield `},${JSON.stringify(rest).slice(1)}`;
  return frame;
}

/** JSON of a list of decisions in parts. */
export function* listParts(picks: readonly PickSummary[]): Generator<string> {
  yield `{"${"picks" satisfies keyof PickList}":[`;
  yield* itemParts(picks);
  yield "]}";
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
  yield `${opened(rest)}"candidates":[`;
  yield* itemParts(candidates);
  yield "]}";
}

function* itemParts(items: Iterable<object>): Generator<string> {
  let separator = "";
  for (const item of items) {
    yield separator + JSON.stringify(item);
    separator = ",";
  }
}

/** Each member by itself: some are long lists. None is undefined. */
function* memberParts(value: object): Generator<string> {
  let separator = "";
  for (const [name, member] of Object.entries(value)) {
    yield `${separator}"${name}":${JSON.stringify(member)}`;
    separator = ",";
  }
}

/** Gives others a turn between the steps. */
function* waiting<T>(steps: Generator<undefined, T>): Generator<string, T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value as T;
    yield "";
  }
}

/** An object's JSON without its end, so that a member can be added. */
function opened(value: object): string {
  const text = JSON.stringify(value);
  return text === "{}" ? "{" : `${text.slice(0, -1)},`;
}
