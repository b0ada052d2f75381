import { UnsupportedTemplateError } from "../template-errors.ts";
import type { Body, Statement } from "./ast.ts";

/** Names of filters and tests that a dialect has. */
export interface KnownNames {
  readonly filters: ReadonlyMap<string, unknown>;
  readonly tests: ReadonlyMap<string, unknown>;
}

/**
 * Refuses a template that names an unknown filter or test where jinja2 looks for it when it compiles: anywhere but in the parts of a
 * condition (jinja2@3.1.6 compiler.py `soft_frame`), which may never run.
 * @throws UnsupportedTemplateError
 */
export function checkNames(body: Body, known: KnownNames): void {
  for (const statement of body) checkStatement(statement, known, false);
}

/** Members of statements besides `if` that are compiled as bodies are: in a condition too they have to be known. */
const begunAnew: ReadonlySet<string> = new Set(["test", "filter", "parameters"]);

function checkStatement(statement: Statement, known: KnownNames, isSoft: boolean): void {
  if (statement.type === "if") {
    checkNode(statement.test, known, true);
    for (const inner of [...statement.consequent, ...statement.otherwise]) checkStatement(inner, known, true);
    return;
  }
  for (const [name, member] of Object.entries(statement)) {
    if (name === "body" || name === "otherwise")
      for (const inner of member as Body) checkStatement(inner, known, false);
    else checkNode(member, known, isSoft && !begunAnew.has(name));
  }
}

function checkNode(node: unknown, known: KnownNames, isSoft: boolean): void {
  if (Array.isArray(node)) {
    for (const item of node) checkNode(item, known, isSoft);
    return;
  }
  if (typeof node !== "object" || node === null) return;
  const { type, name } = node as { readonly type?: unknown; readonly name?: unknown };
  if (type === "const") return;
  if (!isSoft && typeof name === "string" && isUnknown(type, name, known))
    throw new UnsupportedTemplateError(`the chat template cannot be compiled: there is no ${type} ${name}`);
  for (const member of Object.values(node)) checkNode(member, known, isSoft || type === "condition");
}

function isUnknown(type: unknown, name: string, { filters, tests }: KnownNames): boolean {
  return (type === "filter" && !filters.has(name)) || (type === "test" && !tests.has(name));
}

/**
 * Refuses `break` and `continue` outside of a loop. A macro, the body of a call and jinja2's block `generation` are functions: a loop around
 * them is none of theirs.
 * @throws UnsupportedTemplateError
 */
export function checkLoopControls(body: Body, isInLoop = false): void {
  for (const statement of body) {
    const { type } = statement;
    if ((type === "break" || type === "continue") && !isInLoop)
      throw new UnsupportedTemplateError(`the chat template cannot be compiled: ${type} outside of a loop`);
    const isFunction = type === "macro" || type === "call-block" || (type === "with" && statement.isGeneration);
    if (type === "if") checkLoopControls([...statement.consequent, ...statement.otherwise], isInLoop);
    else if (type === "for") checkLoopControls(statement.otherwise, isInLoop);
    if ("body" in statement) checkLoopControls(statement.body, type === "for" || (isInLoop && !isFunction));
  }
}
