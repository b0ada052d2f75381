import type { Dialect } from "../dialect/dialect.ts";
import type { Expression } from "../parser/ast.ts";
import { DictValue } from "../values/dict-value.ts";
import { loopMember } from "../values/loop-members.ts";
import { NamespaceValue } from "../values/namespace-value.ts";
import { LoopValue, SequenceValue, type Value } from "../values/value.ts";
import { spend } from "../work.ts";
import type { EvaluateArguments } from "./calls.ts";
import { chargeOf } from "./charge.ts";
import type { Evaluate } from "./evaluate.ts";
import { type Frame, missing } from "./frame.ts";

/** What members are asked of: where it is a variable, also the place in the frame where that is found first. */
export interface Owner {
  readonly evaluate: Evaluate;
  /** -1 where it is no variable of the frame. */
  readonly slot: number;
}

/** `object.name`: what templates ask most, a message's member or a namespace's, is answered at once. */
export function compileAttribute({ evaluate, slot }: Owner, name: string, dialect: Dialect): Evaluate {
  const { attribute } = dialect;
  if (!dialect.isOnlyMember(name)) return (frame) => attribute(evaluate(frame), name);
  return (frame) => {
    const first = slot < 0 ? missing : frame.slots[slot];
    const value = first === missing ? evaluate(frame) : first;
    if (value instanceof NamespaceValue || value instanceof DictValue) return value.get(name);
    return value instanceof LoopValue ? loopMember(value, name) : attribute(value, name);
  };
}

/** `object[key]`. */
export function compileItem(owner: Owner, keyNode: Expression, key: Evaluate, dialect: Dialect): Evaluate {
  const name = keyNode.type === "const" ? keyNode.value : undefined;
  if (typeof name === "string" && dialect.isOnlyMember(name)) return compileNamedItem(owner, name, dialect);
  const { item } = dialect;
  const { evaluate, slot } = owner;
  return (frame) => {
    const first = slot < 0 ? missing : frame.slots[slot];
    const value = first === missing ? evaluate(frame) : first;
    const place = key(frame);
    if (typeof place === "number" && value instanceof SequenceValue && value.type !== "view")
      return place < 0 ? value.items.at(place) : value.items[place];
    return item(value, place);
  };
}

function compileNamedItem({ evaluate, slot }: Owner, name: string, { item }: Dialect): Evaluate {
  return (frame) => {
    const first = slot < 0 ? missing : frame.slots[slot];
    const value = first === missing ? evaluate(frame) : first;
    return value instanceof DictValue ? value.get(name) : item(value, name);
  };
}

/** `object[start:stop:step]`. */
export function compileSlice(object: Evaluate, bounds: readonly (Evaluate | undefined)[], dialect: Dialect): Evaluate {
  const { slice } = dialect;
  const [start, stop, step] = bounds.map((bound): Evaluate => bound ?? (() => null));
  return (frame) => slice(object(frame), start?.(frame), stop?.(frame), step?.(frame));
}

/** `object.name(...)`. */
export function compileMethod(object: Evaluate, name: string, args: EvaluateArguments, dialect: Dialect): Evaluate {
  const call = methodCall(name, args, dialect);
  return (frame) => call(object(frame), frame);
}

function methodCall(name: string, args: EvaluateArguments, { callMethod }: Dialect) {
  const count = chargeOf(name);
  return (object: Value, frame: Frame): Value => {
    count(object);
    return callMethod(object, name, args(frame), frame);
  };
}

/** `object.get("key")` or with a fallback: asked several times of each message. */
export function compileGet(
  { evaluate, slot }: Owner,
  key: string,
  args: EvaluateArguments,
  { dialect, hasFallback }: { readonly dialect: Dialect; readonly hasFallback: boolean },
): Evaluate {
  const call = methodCall("get", args, dialect);
  return (frame) => {
    const first = slot < 0 ? missing : frame.slots[slot];
    const value = first === missing ? evaluate(frame) : first;
    if (value instanceof DictValue) {
      const found = hasFallback ? value.get(key) : value.getOr(key, null);
      if (found !== undefined) {
        spend(8);
        return found;
      }
    }
    return call(value, frame);
  };
}
