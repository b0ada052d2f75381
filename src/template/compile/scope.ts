import type { Body, Statement, Target } from "../parser/ast.ts";
import type { Symbols } from "./symbols.ts";

/** Where a variable may be: so many frames out, at that place. */
export interface Place {
  readonly framesOut: number;
  readonly slot: number;
  /** Nothing is looked for further out while it is not set. */
  readonly isLast: boolean;
}

/** What holds in all of a template: its pure macros, and variables from outside, numbered as it mentions them. */
export class Globals {
  readonly #places = new Map<string, number>();
  readonly pureMacros: ReadonlySet<string>;

  constructor(pureMacros: ReadonlySet<string>) {
    this.pureMacros = pureMacros;
  }

  place(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    this.#places.set(name, this.#places.size);
    return this.#places.size - 1;
  }

  names(): readonly string[] {
    return [...this.#places.keys()];
  }
}

/** Counts the places of a frame. */
class FrameLayout {
  size = 0;
}

/** A region of the template with variables of its own, known before it runs. */
export class Scope {
  readonly globals: Globals;
  readonly #layout: FrameLayout;
  readonly #parent: Scope | undefined;
  readonly #slots = new Map<string, number>();
  /** Undefined where names are looked for when the template runs, innermost first. */
  readonly symbols: Symbols | undefined;

  private constructor(globals: Globals, layout: FrameLayout, parent: Scope | undefined, symbols: Symbols | undefined) {
    this.globals = globals;
    this.#layout = layout;
    this.#parent = parent;
    this.symbols = symbols;
  }

  static ofTemplate(names: Iterable<string>, symbols: Symbols | undefined, pureMacros: ReadonlySet<string>): Scope {
    return new Scope(new Globals(pureMacros), new FrameLayout(), undefined, symbols).#declareAll(names);
  }

  /** Names of macros of the template that depend on their arguments alone. */
  get pureMacros(): ReadonlySet<string> {
    return this.globals.pureMacros;
  }

  /** A region inside of this one, in the same frame. */
  inner(names: Iterable<string>, symbols?: Symbols): Scope {
    return new Scope(this.globals, this.#layout, this, symbols).#declareAll(names);
  }

  /** A region that runs in a frame of its own: a macro's body. */
  ofFrame(names: Iterable<string>, symbols?: Symbols): Scope {
    return new Scope(this.globals, new FrameLayout(), this, symbols).#declareAll(names);
  }

  /** Places in the frame, known when all of the frame's regions are compiled. */
  get frameSize(): number {
    return this.#layout.size;
  }

  /** The places of this region's own variables. */
  get slots(): readonly number[] {
    return [...this.#slots.values()];
  }

  /** The place of one of this region's own variables. */
  slot(name: string): number {
    const slot = this.#slots.get(name);
    if (slot === undefined) throw new TypeError(`${name} is not declared`);
    return slot;
  }

  /** Where a variable may be, innermost first. */
  places(name: string): readonly Place[] {
    const places: Place[] = [];
    let framesOut = 0;
    for (let scope: Scope | undefined = this; scope !== undefined; scope = scope.#parent) {
      const slot = scope.#slots.get(name);
      const isLast = scope.symbols?.beginsEmpty(name) === true;
      if (slot !== undefined) places.push({ framesOut, slot, isLast });
      if (slot !== undefined && isLast) break;
      if (scope.#parent !== undefined && scope.#parent.#layout !== scope.#layout) framesOut++;
    }
    return places;
  }

  #declareAll(names: Iterable<string>): this {
    for (const name of names) {
      if (!this.#slots.has(name)) this.#slots.set(name, this.#layout.size++);
    }
    return this;
  }
}

/** Names of a target. */
export function targetNames(target: Target): readonly string[] {
  if (target.type === "name") return [target.name];
  return target.type === "targets" ? target.items.flatMap(targetNames) : [];
}

/**
 * Names that a body sets in its own region.
 * @param capturesHaveScope whether captured blocks are regions of their own
 */
export function namesSetIn(body: Body, capturesHaveScope: boolean): readonly string[] {
  return body.flatMap((statement) => namesSetBy(statement, capturesHaveScope));
}

function namesSetBy(statement: Statement, capturesHaveScope: boolean): readonly string[] {
  const captured = (body: Body) => (capturesHaveScope ? [] : namesSetIn(body, capturesHaveScope));
  switch (statement.type) {
    case "set":
      return targetNames(statement.target);
    case "set-block":
      return [...targetNames(statement.target), ...captured(statement.body)];
    case "macro":
      return [statement.name];
    case "if":
      return namesSetIn([...statement.consequent, ...statement.otherwise], capturesHaveScope);
    case "filter-block":
      return captured(statement.body);
    case "for":
      return captured(statement.otherwise);
    default:
      return [];
  }
}
