import { TemplateRefusal } from "../template-errors.ts";
import { smallInteger } from "../values/arguments.ts";
import { type CallArguments, type SequenceType, SequenceValue, type Value } from "../values/value.ts";

/** Most numbers that `range` yields: more are an error in jinja2's sandbox and in minijinja. */
const MAX_RANGE = 100_000;

/** `range(stop)`, `range(start, stop)`, `range(start, stop, step)`. */
export function range({ positional, named }: CallArguments, type: SequenceType): Value {
  if (named.size > 0 || positional.length === 0 || positional.length > 3) throw new TemplateRefusal();
  const [first = 0, second, step = 1] = positional.map(smallInteger);
  const [start, stop] = second === undefined ? [0, first] : [first, second];
  if (step === 0) throw new TemplateRefusal();
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= MAX_RANGE)) throw new TemplateRefusal();
  const text = `range(${start}, ${stop}${step === 1 ? "" : `, ${step}`})`;
  return new SequenceValue(type, () => numbers(start, length, step), text);
}

/** Numbers up and down of which short ranges are copies. */
const most = 1_024;
const ascending: readonly Value[] = Array.from({ length: most + 1 }, (_, at) => at);
const descending: readonly Value[] = Array.from({ length: most + 1 }, (_, at) => most - at);

/** Templates go through all earlier messages for each one, and stop at the first that they look for (Gemma 4): copying is the cheapest way. */
function numbers(start: number, length: number, step: number): readonly Value[] {
  const last = start + (length - 1) * step;
  if (step === 1 && start >= 0 && last <= most) return ascending.slice(start, start + length);
  if (step === -1 && last >= 0 && start <= most) return descending.slice(most - start, most - start + length);
  const items: Value[] = [];
  for (let at = 0; at < length; at++) items.push(start + at * step);
  return items;
}
