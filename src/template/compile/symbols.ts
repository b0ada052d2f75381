import type { Body, Expression, Statement, Target } from "../parser/ast.ts";

type IfStatement = Extract<Statement, { readonly type: "if" }>;

/** What a name holds where a region begins: what it holds outside, or nothing. */
type Start = "outside" | "nothing";

/**
 * Names of one region as jinja2 sees them before it runs (jinja2@3.1.6 idtracking.py): a name that the region sets before it reads it holds
 * nothing until then, even where a variable of that name is given from outside; one that it reads first holds what it holds outside.
 */
export class Symbols {
  readonly #parent: Symbols | undefined;
  readonly #starts: Map<string, Start>;
  readonly #stores: Set<string>;

  private constructor(parent: Symbols | undefined, starts: Map<string, Start>, stores: Set<string>) {
    this.#parent = parent;
    this.#starts = starts;
    this.#stores = stores;
  }

  /** @param parameters names that hold a value from the beginning */
  static of(body: Body, parameters: readonly string[], parent: Symbols | undefined): Symbols {
    const starts = new Map(parameters.map((name): [string, Start] => [name, "outside"]));
    const symbols = new Symbols(parent, starts, new Set());
    symbols.#body(body);
    return symbols;
  }

  /** Whether a name of this region holds nothing until it is set. */
  beginsEmpty(name: string): boolean {
    return this.#starts.get(name) === "nothing";
  }

  #isKnown(name: string): boolean {
    return this.#starts.has(name) || this.#isKnownOutside(name);
  }

  #isKnownOutside(name: string): boolean {
    return this.#parent === undefined ? false : this.#parent.#isKnown(name);
  }

  #load(name: string): void {
    if (!this.#isKnown(name)) this.#starts.set(name, "outside");
  }

  #store(name: string): void {
    this.#stores.add(name);
    if (!this.#starts.has(name)) this.#starts.set(name, this.#isKnownOutside(name) ? "outside" : "nothing");
  }

  #body(body: Body): void {
    for (const statement of body) this.#statement(statement);
  }

  /** Bodies with regions of their own are not looked into. */
  #statement(statement: Statement): void {
    switch (statement.type) {
      case "output":
      case "do":
        this.#expression(statement.value);
        return;
      case "if":
        this.#if(statement);
        return;
      case "for":
        this.#expression(statement.items);
        return;
      case "set":
        this.#expression(statement.value);
        this.#target(statement.target);
        return;
      case "set-block":
        this.#target(statement.target);
        return;
      case "macro":
        this.#store(statement.name);
        return;
      case "call-block":
        this.#expression(statement.call);
        return;
      case "filter-block":
        this.#expression(statement.filter);
        return;
      case "with":
        for (const [, value] of statement.assignments) this.#expression(value);
        return;
      default:
    }
  }

  #target(target: Target): void {
    if (target.type === "name") this.#store(target.name);
    else if (target.type === "member") this.#expression(target.object);
    else for (const item of target.items) this.#target(item);
  }

  #expression(node: Expression): void {
    visitNames(node, (name) => this.#load(name));
  }

  /** All of `elif` counts as one branch, and so does an `else` that is not there. */
  #if(statement: IfStatement): void {
    this.#expression(statement.test);
    const { elifs, otherwise } = branchesOf(statement);
    const branches = [
      this.#branch((inner) => inner.#body(statement.consequent)),
      this.#branch((inner) => {
        for (const elif of elifs) inner.#if({ ...elif, otherwise: [] });
      }),
      this.#branch((inner) => inner.#body(otherwise)),
    ];
    const stored = new Set(branches.flatMap(({ stores }) => [...stores].filter((name) => !this.#stores.has(name))));
    for (const { starts, stores } of branches) {
      for (const [name, start] of starts) this.#starts.set(name, start);
      for (const name of stores) this.#stores.add(name);
    }
    for (const name of stored) {
      if (!branches.every(({ stores }) => stores.has(name))) this.#starts.set(name, "outside");
    }
  }

  #branch(visit: (inner: Symbols) => void): { readonly starts: Map<string, Start>; readonly stores: Set<string> } {
    const inner = new Symbols(this.#parent, new Map(this.#starts), new Set(this.#stores));
    visit(inner);
    return { starts: inner.#starts, stores: inner.#stores };
  }
}

function branchesOf({ otherwise }: IfStatement): { readonly elifs: readonly IfStatement[]; readonly otherwise: Body } {
  const [next] = otherwise;
  if (next?.type !== "if" || !next.isElif) return { elifs: [], otherwise };
  const rest = branchesOf(next);
  return { elifs: [next, ...rest.elifs], otherwise: rest.otherwise };
}

function visitNames(node: unknown, visit: (name: string) => void): void {
  if (Array.isArray(node)) {
    for (const item of node) visitNames(item, visit);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { type, name } = node as { readonly type?: unknown; readonly name?: unknown };
  if (type === "const") return;
  if (type === "name" && typeof name === "string") visit(name);
  for (const member of Object.values(node)) visitNames(member, visit);
}
