import * as jinja from "@huggingface/jinja";
import type { Node } from "./nodes.ts";
import type { RuntimeValue } from "./runtime-values.ts";

/** A scope of variables. */
export interface Scope {
  /** Declares a variable with a JavaScript value, and returns it as the engine's. */
  set(name: string, value: unknown): RuntimeValue;
  setVariable(name: string, value: RuntimeValue): RuntimeValue;
}

interface Evaluator {
  evaluate(node: Node | undefined, scope: Scope): RuntimeValue;
  run(program: Node): RuntimeValue;
}

interface SourceOptions {
  readonly lstrip_blocks: boolean;
  readonly trim_blocks: boolean;
}

/** The package's declarations do not resolve under `nodenext` (imports without extension): what is used of it is declared here. */
export const Environment = jinja.Environment as new (parent?: Scope) => Scope;
export const Interpreter = jinja.Interpreter as new (scope: Scope) => Evaluator;
const tokenize = jinja.tokenize as (source: string, options: SourceOptions) => unknown;
const parse = jinja.parse as (tokens: unknown) => Node;

/** Parses a template with the white space rules that chat templates are written for. */
export function parseTemplate(source: string): Node {
  return parse(tokenize(source, { lstrip_blocks: true, trim_blocks: true }));
}
