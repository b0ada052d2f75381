import type { Dialect } from "../dialect/dialect.ts";
import type { Expression } from "../parser/ast.ts";
import { DictValue } from "../values/dict-value.ts";
import { NamespaceValue } from "../values/namespace-value.ts";
import { SequenceValue, type Value } from "../values/value.ts";
import { spend } from "../work.ts";
import type { EvaluateArguments } from "./calls.ts";
import { chargeOf } from "./charge.ts";
import type { Evaluate } from "./evaluate.ts";
import type { Frame } from "./frame.ts";

/** `object.name`: what templates ask most, a message's member or a namespace's, is answered at once. */
export function compileAttribute(object: Evaluate, name: string, dialect: Dialect): Evaluate {
  const { attribute } = dialect;
  if (!dialect.isOnlyMember(name)) return (frame) => attribute(object(frame), name);
  return (frame) => {
    const value = object(frame);
    if (value instanceof DictValue || value instanceof NamespaceValue) return value.get(name);
    return attribute(value, name);
  };
}

/** `object[key]`. */
export function compileItem(object: Evaluate, keyNode: Expression, key: Evaluate, dialect: Dialect): Evaluate {
  const { item } = dialect;
  const name = keyNode.type === "const" ? keyNode.value : undefined;
  if (typeof name === "string" && dialect.isOnlyMember(name)) {
    return (frame) => {
      const value = object(frame);
      return value instanceof DictValue ? value.get(name) : item(value, name);
    };
  }
  return (frame) => {
    const value = object(frame);
    const place = key(frame);
    if (typeof place === "number" && value instanceof SequenceValue && value.type === "list")
      return value.items.at(place);
    return item(value, place);
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
  object: Evaluate,
  key: string,
  args: EvaluateArguments,
  { dialect, hasFallback }: { readonly dialect: Dialect; readonly hasFallback: boolean },
): Evaluate {
  const call = methodCall("get", args, dialect);
  return (frame) => {
    const value = object(frame);
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
