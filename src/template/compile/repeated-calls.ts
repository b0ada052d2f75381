import type { ArgumentNodes, Expression } from "../parser/ast.ts";
import { type CallArguments, type CallableValue, SequenceValue, type Value } from "../values/value.ts";
import type { EvaluateArguments } from "./calls.ts";
import type { Frame } from "./frame.ts";

/** Longest text that is kept. */
const LONGEST = 4_096;
/** So many calls in vain, less those that were not, end the attempts. */
const MOST_IN_VAIN = 16;

interface Result {
  readonly args: readonly Value[];
  readonly text: string;
  /** How deep macros were in each other. */
  readonly depth: number;
}

/**
 * What a macro that depends on its arguments alone printed last at one place of a template: a tag that is written for each message is made
 * once, and is the same string ever after. Arguments are the template's own words and values without text: what a client wrote is neither
 * kept nor joined to anything.
 */
export class RepeatedCall {
  readonly #evaluate: EvaluateArguments;
  /** By argument: it is one of the template's own texts. */
  readonly #areWords: readonly boolean[];
  readonly #isConstant: boolean;
  #last: Result | undefined;
  #inVain = 0;

  constructor(nodes: ArgumentNodes, evaluate: EvaluateArguments) {
    const all = [...nodes.positional, ...nodes.named.map(([, value]) => value)];
    const isSpread = nodes.spread !== undefined || nodes.namedSpread !== undefined;
    this.#evaluate = evaluate;
    this.#areWords = all.map(isWord);
    this.#isConstant = !isSpread && all.every(({ type }) => type === "const");
    if (isSpread) this.#inVain = Number.POSITIVE_INFINITY;
  }

  /** Prints what the macro prints. */
  print(macro: CallableValue, frame: Frame): void {
    const last = this.#last;
    if (last !== undefined && this.#isConstant) {
      repeat(last, frame);
      return;
    }
    const args = this.#evaluate(frame);
    const values = this.#inVain > MOST_IN_VAIN ? undefined : this.#comparable(args);
    if (values === undefined) {
      macro.print?.(args, frame);
    } else if (last !== undefined && areSame(last.args, values)) {
      if (this.#inVain > 0) this.#inVain--;
      repeat(last, frame);
    } else {
      this.#inVain++;
      this.#make(macro, args, values, frame);
    }
  }

  /** Undefined where equal arguments may not be the same, or hold a client's text. */
  #comparable({ positional, named }: CallArguments): readonly Value[] | undefined {
    const values = named.size === 0 ? positional : [...positional, ...[...named].map(([, value]) => value)];
    for (let at = 0; at < values.length; at++) {
      const value = values[at];
      const isFit = typeof value === "string" ? this.#areWords[at] : isPlain(value);
      if (isFit !== true) return undefined;
    }
    return values;
  }

  #make(macro: CallableValue, args: CallArguments, values: readonly Value[], frame: Frame): void {
    let text = "";
    const depth = frame.render.depthOf(() => {
      text = frame.render.capture(() => macro.print?.(args, frame));
    });
    if (text.length <= LONGEST) this.#last = { args: values, text, depth };
    frame.render.write(text);
  }
}

/** A text that is written in the template, or one of two such. */
function isWord(node: Expression): boolean {
  if (node.type !== "condition") return node.type === "const";
  return node.otherwise !== undefined && isWord(node.consequent) && isWord(node.otherwise);
}

function isPlain(value: Value): boolean {
  if (typeof value !== "object" || value === null) return true;
  return value instanceof SequenceValue && value.isConstant;
}

function repeat({ text, depth }: Result, { render }: Frame): void {
  render.reach(depth);
  render.write(text);
}

function areSame(left: readonly Value[], right: readonly Value[]): boolean {
  for (let at = 0; at < right.length; at++) if (left[at] !== right[at]) return false;
  return left.length === right.length;
}
