import type { Statement } from "../parser/ast.ts";
import { RangeValue } from "../values/range-value.ts";
import { LoopValue, type Value } from "../values/value.ts";
import { spend } from "../work.ts";
import { breaking, type Evaluate, type Execute, finished, type Holds } from "./evaluate.ts";
import { clear, emptySlots, Frame } from "./frame.ts";
import { guardOf } from "./guarded-loop.ts";
import { isMentioned } from "./mentions.ts";
import type { Region } from "./region.ts";
import { targetNames } from "./scope.ts";
import type { Assign } from "./variables.ts";

type ForStatement = Extract<Statement, { readonly type: "for" }>;

interface CompiledLoop {
  readonly select: (items: readonly Value[], frame: Frame) => readonly Value[];
  /** It has a condition. */
  readonly isSelective: boolean;
  readonly assign: Assign;
  readonly loopSlot: number;
  readonly body: Execute;
  /** The loop ends where it does not hold; undefined where it goes through all items. */
  readonly guard: Holds | undefined;
  /** The variable `loop` is read somewhere. */
  readonly asksLoop: boolean;
  /** Variables of an iteration: each begins without them. */
  readonly slots: readonly number[];
  readonly otherwise: Execute;
}

export function compileLoop(statement: ForStatement, outer: Region): Execute {
  const items = outer.expressions.compile(statement.items);
  if (statement.isRecursive) return compileRecursive(statement, outer, items);
  const loop = compileParts(statement, outer);
  return (frame) => {
    run(loop, items(frame), frame, 0, undefined);
    return finished;
  };
}

/** Each level runs in a frame of its own, as a call of a function does. */
function compileRecursive(statement: ForStatement, outer: Region, items: Evaluate): Execute {
  const scope = outer.scope.ofFrame([], outer.scope.symbols);
  const loop = compileParts(statement, outer.region(scope));
  const empty = emptySlots(scope.frameSize);
  const level = (values: Value, parent: Frame, depth: number): void => {
    const { render } = parent;
    render.enter("loop");
    const recurse = (deeper: Value) => render.capture(() => level(deeper, parent, depth + 1));
    run(loop, values, new Frame(render, empty, parent), depth, recurse);
    render.leave("loop");
  };
  return (frame) => {
    level(items(frame), frame, 0);
    return finished;
  };
}

function compileParts(statement: ForStatement, outer: Region): CompiledLoop {
  const names = [...targetNames(statement.target), "loop"];
  const { compiler, run } = outer.innerBody(statement.body, names);
  const guarded = guardOf(statement);
  return {
    select: compileSelect(statement, outer),
    isSelective: statement.test !== undefined,
    assign: compiler.assign(statement.target),
    loopSlot: compiler.scope.slot("loop"),
    body: guarded === undefined ? run : compiler.body(guarded.consequent),
    guard: guarded && compiler.expressions.condition(guarded.test),
    asksLoop: isMentioned(statement.body, "loop"),
    slots: compiler.scope.slots,
    otherwise: compileOtherwise(statement, outer),
  };
}

function compileOtherwise({ otherwise }: ForStatement, outer: Region): Execute {
  if (!outer.dialect.capturesHaveScope) return outer.body(otherwise);
  const { compiler, run } = outer.innerBody(otherwise);
  const { slots } = compiler.scope;
  return (frame) => {
    clear(frame, slots);
    return run(frame);
  };
}

/** `for ... if ...`: the condition sees the item, and the loop around. */
function compileSelect({ target, test }: ForStatement, outer: Region): CompiledLoop["select"] {
  if (test === undefined) return (items) => items;
  const inner = outer.region(outer.scope.inner(targetNames(target), outer.symbols([], targetNames(target))));
  const assign = inner.assign(target);
  const evaluate = inner.expressions.compile(test);
  const { isTrue } = outer.dialect;
  return (items, frame) =>
    items.filter((item) => {
      spend(8);
      assign(frame, item);
      return isTrue(evaluate(frame));
    });
}

function run(
  loop: CompiledLoop,
  from: Value,
  frame: Frame,
  depth: number,
  recurse: ((items: Value) => Value) | undefined,
): void {
  const { dialect } = frame.render;
  if (from instanceof RangeValue && !loop.asksLoop && !loop.isSelective) {
    pass(loop, from, frame, undefined);
    return;
  }
  const items = loop.select(dialect.iterate(from), frame);
  const hasLength = loop.isSelective || dialect.loopHasLength(from);
  pass(
    loop,
    { items, length: items.length },
    frame,
    loop.asksLoop ? new LoopValue(items, depth, recurse, hasLength) : undefined,
  );
}

/** What a loop goes through: items, or numbers that nobody has to make before. */
type Passed = RangeValue | { readonly items: readonly Value[]; readonly length: number };

function itemOf(from: Passed, at: number): Value {
  return from instanceof RangeValue ? from.start + at * from.step : from.items[at];
}

function pass(loop: CompiledLoop, from: Passed, frame: Frame, value: LoopValue | undefined): void {
  const isBreakEnough = frame.render.dialect.elseAlsoAfter === "first-break";
  const steps = 8 + loop.slots.length;
  const { length } = from;
  let isPassed = isBreakEnough && length > 0;
  for (let at = 0; at < length; at++) {
    spend(steps);
    clear(frame, loop.slots);
    if (value !== undefined) {
      value.at = at;
      frame.slots[loop.loopSlot] = value;
    }
    loop.assign(frame, itemOf(from, at));
    if (loop.guard !== undefined && !loop.guard(frame)) {
      isPassed = true;
      break;
    }
    const signal = loop.body(frame);
    if (signal === breaking) {
      if (isBreakEnough && at === 0) isPassed = false;
      break;
    }
    isPassed ||= signal === finished;
  }
  if (!isPassed) loop.otherwise(frame);
}
