import { TemplateRefusal } from "../template-errors.ts";
import { smallInteger } from "../values/arguments.ts";
import { type RangeType, RangeValue } from "../values/range-value.ts";
import type { CallArguments, Value } from "../values/value.ts";

/** Most numbers that `range` yields: more are an error in jinja2's sandbox and in minijinja. */
const MAX_RANGE = 100_000;

/** `range(stop)`, `range(start, stop)`, `range(start, stop, step)`. */
export function range({ positional, named }: CallArguments, type: RangeType): Value {
  const given = positional.length;
  if (named.size > 0 || given === 0 || given > 3) throw new TemplateRefusal();
  const first = smallInteger(positional[0]);
  const start = given === 1 ? 0 : first;
  const stop = given === 1 ? first : smallInteger(positional[1]);
  const step = given === 3 ? smallInteger(positional[2]) : 1;
  if (step === 0) throw new TemplateRefusal();
  const length = Math.max(0, Math.ceil((stop - start) / step));
  if (!(length <= MAX_RANGE)) throw new TemplateRefusal();
  return new RangeValue(type, { start, stop, step, length });
}
