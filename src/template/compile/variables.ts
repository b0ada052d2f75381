import type { Target } from "../parser/ast.ts";
import { TemplateRefusal } from "../template-errors.ts";
import { NamespaceValue } from "../values/namespace-value.ts";
import { isText, type Value } from "../values/value.ts";
import type { Evaluate } from "./evaluate.ts";
import { type Frame, missing } from "./frame.ts";
import type { Place, Scope } from "./scope.ts";

export type Assign = (frame: Frame, value: Value) => void;

/** Reads a variable: the innermost place where it is set, else what was given from outside. */
export function compileRead(name: string, scope: Scope): Evaluate {
  const [first, ...others] = scope.places(name);
  const global = scope.globals.place(name);
  if (first === undefined) return (frame) => frame.render.globals[global];
  const { slot, isLast } = first;
  if (others.length === 0 && first.framesOut === 1) return readOutside(slot, isLast ? undefined : global);
  if (others.length > 0 || first.framesOut > 0) return compileSearch([first, ...others], global);
  if (isLast) {
    return (frame) => {
      const value = frame.slots[slot];
      return value === missing ? undefined : value;
    };
  }
  return (frame) => {
    const value = frame.slots[slot];
    return value === missing ? frame.render.globals[global] : value;
  };
}

/** In the frame around, as macros see those of the template. @param global undefined: nothing is looked for outside */
function readOutside(slot: number, global: number | undefined): Evaluate {
  return ({ parent, render }) => {
    const value = parent?.slots[slot];
    if (value !== missing) return value;
    return global === undefined ? undefined : render.globals[global];
  };
}

/** The place in the frame itself where a variable is looked for first; -1 where there is none. */
export function firstSlot(name: string, scope: Scope): number {
  const [first] = scope.places(name);
  return first?.framesOut === 0 ? first.slot : -1;
}

function compileSearch(places: readonly Place[], global: number): Evaluate {
  const isBounded = places.at(-1)?.isLast === true;
  if (places.every(({ framesOut }) => framesOut === 0)) {
    const slots = places.map(({ slot }) => slot);
    return searchSlots(slots, isBounded ? undefined : global);
  }
  return (frame) => {
    for (const { framesOut, slot } of places) {
      let owner: Frame | undefined = frame;
      for (let out = 0; out < framesOut; out++) owner = owner?.parent;
      const value = owner?.slots[slot];
      if (value !== missing) return value;
    }
    return isBounded ? undefined : frame.render.globals[global];
  };
}

/** All places are in the frame itself: the usual case. @param global undefined: nothing is looked for outside */
function searchSlots(slots: readonly number[], global: number | undefined): Evaluate {
  return ({ slots: values, render }) => {
    for (let at = 0; at < slots.length; at++) {
      const value = values[slots[at] as number];
      if (value !== missing) return value;
    }
    return global === undefined ? undefined : render.globals[global];
  };
}

/** @param compile compiles an expression of the same scope */
export function compileAssign(
  target: Target,
  scope: Scope,
  compile: (object: Target & { type: "member" }) => Evaluate,
): Assign {
  if (target.type === "name") {
    const slot = scope.slot(target.name);
    return (frame, value) => {
      frame.slots[slot] = value;
    };
  }
  if (target.type === "member") {
    const slot = target.object.type === "name" ? firstSlot(target.object.name, scope) : -1;
    return compileMemberAssign(target.name, compile(target), slot);
  }
  const assigns = target.items.map((item) => compileAssign(item, scope, compile));
  return (frame, value) => {
    const { dialect } = frame.render;
    if (!dialect.unpacksTexts && isText(value)) throw new TemplateRefusal();
    const items = dialect.iterate(value);
    if (items.length !== assigns.length) throw new TemplateRefusal();
    for (const [at, assign] of assigns.entries()) assign(frame, items[at]);
  };
}

function compileMemberAssign(name: string, object: Evaluate, slot: number): Assign {
  return (frame, value) => {
    const first = slot < 0 ? missing : frame.slots[slot];
    const namespace = first instanceof NamespaceValue ? first : object(frame);
    if (!(namespace instanceof NamespaceValue)) throw new TemplateRefusal();
    frame.render.dialect.checkNamespaceName(name);
    namespace.set(name, value);
  };
}
