import type { Dialect } from "../dialect/dialect.ts";
import type { Limits } from "../limits.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "../template-errors.ts";
import type { Value } from "../values/value.ts";
import { spend } from "../work.ts";

/** A variable that has not been set. */
export const missing: unique symbol = Symbol("missing");

/** What a variable's place holds. */
export type Slot = Value | typeof missing;

/** One render: its output, its variables from outside, and how much of its limits is used. */
export class Render {
  readonly dialect: Dialect;
  readonly globals: readonly Value[];
  /** The time on the wall, in UTC fields. */
  readonly now: () => Date;
  readonly #limits: Required<Limits>;
  #out: string[] = [];
  #written = 0;
  #depth = 0;
  #deepest = 0;

  constructor(dialect: Dialect, globals: readonly Value[], now: () => Date, limits: Required<Limits>) {
    this.dialect = dialect;
    this.globals = globals;
    this.now = now;
    this.#limits = limits;
  }

  /** Prints a piece. */
  write(piece: string): void {
    if (piece === "") return;
    this.#written += piece.length;
    spend(2);
    if (this.#written > this.#limits.maxLength) throw new UnsupportedTemplateError("the template prints too much");
    this.#out.push(piece);
  }

  /** What was printed. */
  get pieces(): readonly string[] {
    return this.#out;
  }

  /** The text that is printed meanwhile; a single piece stays the string that it is. */
  capture(run: () => void): string {
    const outer = this.#out;
    const inner: string[] = [];
    this.#out = inner;
    try {
      run();
    } finally {
      this.#out = outer;
    }
    const [only = ""] = inner;
    return inner.length <= 1 ? only : inner.join("");
  }

  /** Counts steps and characters handled. */
  spend(amount: number): void {
    spend(amount);
  }

  /** Refuses to make a text or list of that length. */
  checkLength(length: number): void {
    if (!(length <= this.#limits.maxLength)) throw new UnsupportedTemplateError("the template makes too much");
    spend(length / 4);
  }

  /** Enters a macro or a level of a recursive loop; `leave` when it is done. */
  enter(kind: "macro" | "loop"): void {
    this.#depth += this.dialect.recursion[kind];
    if (this.#depth >= this.dialect.recursion.refused) throw new TemplateRefusal();
    if (this.#depth > this.#deepest) this.#deepest = this.#depth;
    spend(40);
  }

  leave(kind: "macro" | "loop"): void {
    this.#depth -= this.dialect.recursion[kind];
  }

  /** How much deeper what is run goes. */
  depthOf(run: () => void): number {
    const outer = this.#deepest;
    this.#deepest = this.#depth;
    run();
    const depth = this.#deepest - this.#depth;
    this.#deepest = Math.max(outer, this.#deepest);
    return depth;
  }

  /** As if something were run that goes so much deeper. */
  reach(depth: number): void {
    const reached = this.#depth + depth;
    if (reached >= this.dialect.recursion.refused) throw new TemplateRefusal();
    if (reached > this.#deepest) this.#deepest = reached;
    spend(8);
  }

  /** Whether it went so deep that the model's server may have refused. */
  get isDoubtful(): boolean {
    return this.#deepest > this.dialect.recursion.fine;
  }
}

/** Variables of the template, of one call of a macro, or of one level of a recursive loop. */
export class Frame {
  readonly render: Render;
  readonly slots: Slot[];
  /** Where the macro or loop was defined. */
  readonly parent: Frame | undefined;

  /** @param empty the places without their values, to be copied */
  constructor(render: Render, empty: readonly Slot[], parent: Frame | undefined) {
    this.render = render;
    this.slots = empty.slice();
    this.parent = parent;
  }
}

/** Places without values. */
export function emptySlots(size: number): readonly Slot[] {
  return Array.from({ length: size }, () => missing);
}

/** Forgets variables. */
export function clear(frame: Frame, slots: readonly number[]): void {
  const values = frame.slots;
  for (let at = 0; at < slots.length; at++) values[slots[at] as number] = missing;
}
