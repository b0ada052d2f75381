import type { Body, Expression, Statement, Target } from "../parser/ast.ts";
import { targetNames } from "./scope.ts";

type MacroStatement = Extract<Statement, { readonly type: "macro" }>;

/**
 * Macros of a template whose text depends on nothing but their arguments: they read their parameters, what they set themselves and other such
 * macros, and change nothing. No other thing of the template has the name of one.
 */
export function pureMacros(template: Body): ReadonlySet<string> {
  const counts = new Map<string, number>();
  countBindings(template, counts);
  const pure = new Set<string>();
  for (const statement of template) {
    if (statement.type === "macro" && counts.get(statement.name) === 1 && isPureMacro(statement, pure))
      pure.add(statement.name);
  }
  return pure;
}

/** How often each name is given a value, in any region. */
function countBindings(node: unknown, counts: Map<string, number>): void {
  if (Array.isArray(node)) {
    for (const item of node) countBindings(item, counts);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { type } = node as { readonly type?: unknown };
  if (type === "const") return;
  for (const name of boundBy(node as Statement)) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const member of Object.values(node)) countBindings(member, counts);
}

function boundBy(node: Statement): readonly string[] {
  switch (node.type) {
    case "macro":
      return [node.name, ...node.parameters.names];
    case "call-block":
      return node.parameters.names;
    case "for":
    case "set":
    case "set-block":
      return targetNames(node.target);
    case "with":
      return node.assignments.flatMap(([target]) => targetNames(target));
    default:
      return [];
  }
}

function isPureMacro({ name, parameters, body }: MacroStatement, pure: ReadonlySet<string>): boolean {
  const macros = new Set([...pure, name]);
  const areDefaultsConstant = parameters.defaults.every((node) => isPure(node, new Set(), new Set()));
  return areDefaultsConstant && isPureBody(body, new Set(parameters.names), macros);
}

/** @param known names that hold a value of the macro's own wherever the body begins */
function isPureBody(body: Body, known: ReadonlySet<string>, macros: ReadonlySet<string>): boolean {
  const names = new Set(known);
  return body.every((statement) => isPureStatement(statement, names, macros));
}

function isPureStatement(statement: Statement, names: Set<string>, macros: ReadonlySet<string>): boolean {
  switch (statement.type) {
    case "data":
    case "break":
    case "continue":
      return true;
    case "output":
      return isPure(statement.value, names, macros);
    case "if":
      return (
        isPure(statement.test, names, macros) &&
        isPureBody(statement.consequent, names, macros) &&
        isPureBody(statement.otherwise, names, macros)
      );
    case "for":
      return isPureLoop(statement, names, macros);
    case "set":
      if (!setsNames(statement.target) || !isPure(statement.value, names, macros)) return false;
      for (const name of targetNames(statement.target)) names.add(name);
      return true;
    default:
      return false;
  }
}

function isPureLoop(
  { target, items, test, isRecursive, body, otherwise }: Extract<Statement, { readonly type: "for" }>,
  names: ReadonlySet<string>,
  macros: ReadonlySet<string>,
): boolean {
  if (isRecursive || !setsNames(target) || !isPure(items, names, macros)) return false;
  const inside = new Set([...names, ...targetNames(target)]);
  if (test !== undefined && !isPure(test, inside, macros)) return false;
  return isPureBody(body, new Set([...inside, "loop"]), macros) && isPureBody(otherwise, names, macros);
}

/** Whether nothing but variables is assigned to. */
function setsNames(target: Target): boolean {
  return target.type === "name" || (target.type === "targets" && target.items.every(setsNames));
}

/** Whether an expression reads nothing but known names, and calls nothing but pure macros and methods. */
function isPure(node: Expression, names: ReadonlySet<string>, macros: ReadonlySet<string>): boolean {
  if (node.type === "name") return names.has(node.name) || macros.has(node.name);
  if (node.type === "call") {
    const { callee } = node;
    const isKnown =
      callee.type === "name" ? macros.has(callee.name) && !names.has(callee.name) : callee.type === "attribute";
    if (!isKnown) return false;
  }
  return expressionsIn(node).every((part) => isPure(part, names, macros));
}

/** The expressions that an expression is made of. */
function expressionsIn(node: unknown): readonly Expression[] {
  if (Array.isArray(node)) return node.flatMap(partOf);
  return typeof node === "object" && node !== null && (node as Expression).type !== "const"
    ? Object.values(node).flatMap(partOf)
    : [];
}

function partOf(part: unknown): readonly Expression[] {
  if (typeof part !== "object" || part === null) return [];
  return "type" in part ? [part as Expression] : expressionsIn(part);
}
