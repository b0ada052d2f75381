import { UnsupportedTemplateError } from "../template-errors.ts";
import { CallableValue, type LoopValue, type Value } from "./value.ts";

const lengthMembers = new Set(["last", "length", "revindex", "revindex0"]);

/** Members of the variable `loop`. */
export function loopMember(loop: LoopValue, name: string): Value {
  const { at, items, depth } = loop;
  if (!loop.hasLength && lengthMembers.has(name)) return name === "last" ? false : undefined;
  switch (name) {
    case "index":
      return at + 1;
    case "index0":
      return at;
    case "first":
      return at === 0;
    case "last":
      return at === items.length - 1;
    case "length":
      return items.length;
    case "revindex":
      return items.length - at;
    case "revindex0":
      return items.length - at - 1;
    case "previtem":
      return items[at - 1];
    case "nextitem":
      return items[at + 1];
    case "depth":
      return depth + 1;
    case "depth0":
      return depth;
    default:
      return loopFunction(loop, name);
  }
}

function loopFunction(loop: LoopValue, name: string): Value {
  if (name === "cycle") {
    return new CallableValue(({ positional }) => {
      if (positional.length === 0) throw new UnsupportedTemplateError("a cycle of nothing");
      return positional[loop.at % positional.length];
    });
  }
  if (name !== "changed") return undefined;
  return new CallableValue(({ positional }, { render }) => {
    const last = loop.changedTo;
    const isSame =
      last?.length === positional.length && last.every((value, at) => render.dialect.equals(value, positional[at]));
    loop.changedTo = positional;
    return !isSame;
  });
}
