import type { JsonNumber } from "../../json/index.ts";
import type { Frame } from "../compile/frame.ts";
import type { CallArguments, Value } from "../values/value.ts";

/**
 * Whose Jinja to follow: `huggingface` is jinja2 as transformers compiles it (vLLM, SGLang), `dynamo` is minijinja with the
 * filters of Dynamo's frontend (dynamo-renderer@8.0.3 template/formatters.rs), `jinja` is jinja2 without what transformers adds.
 */
export type DialectName = "dynamo" | "huggingface" | "jinja";

export type Filter = (value: Value, args: CallArguments, frame: Frame) => Value;
export interface Test {
  (value: Value, args: CallArguments, frame: Frame): boolean;
  /** What it says where no arguments are given; undefined for a test that takes some. */
  readonly ofValue?: (value: Value) => boolean;
}
export type BinaryOperator = "+" | "-" | "*" | "/" | "//" | "%" | "**";
export type Operation = (left: Value, right: Value, frame: Frame) => Value;
export type Relation = (left: Value, right: Value) => boolean;

/** Rules of the source text. */
export interface SyntaxRules {
  /** Line ends of the source become `\n`. */
  readonly normalizesLineEnds: boolean;
  /** A line end after `{% raw %}` is dropped, too. */
  readonly trimsAfterRaw: boolean;
  /** `(a, b)` is a tuple; else a list. `a, b` without parentheses is one where jinja2 takes it. */
  readonly hasTuples: boolean;
  /** `+x`, `{% print x %}`. */
  readonly isPythonic: boolean;
  readonly nameStart: RegExp;
  /** Text of a quoted string. @throws UnsupportedTemplateError for an escape that is none */
  readonly unescape: (text: string) => string;
}

export interface Recursion {
  readonly macro: number;
  readonly loop: number;
  readonly fine: number;
  readonly refused: number;
}

/** Every difference between the two: the engine has no other. */
export interface Dialect {
  readonly name: DialectName;
  readonly syntax: SyntaxRules;
  /** Changes to the source before it is read. */
  readonly prepareSource: (source: string) => string;
  readonly readNumber: (number: JsonNumber) => Value;
  readonly filters: ReadonlyMap<string, Filter>;
  readonly tests: ReadonlyMap<string, Test>;
  /** Functions that a template can call without being given them. */
  readonly functions: ReadonlyMap<string, Value>;
  readonly operations: Readonly<Record<BinaryOperator, Operation>>;
  readonly negative: (value: Value) => Value;
  readonly equals: Relation;
  readonly less: Relation;
  readonly lessOrEqual: Relation;
  /** @throws TemplateRefusal for a name that a namespace cannot have */
  readonly checkNamespaceName: (name: string) => void;
  readonly contains: (container: Value, item: Value) => boolean;
  readonly isTrue: (value: Value) => boolean;
  /** The text that `{{ value }}` prints. */
  readonly print: (value: Value) => string;
  /** `a ~ b ~ c`. */
  readonly concat: (values: readonly Value[]) => Value;
  readonly attribute: (object: Value, name: string) => Value;
  readonly item: (object: Value, key: Value) => Value;
  /** Whether a dict and a namespace have nothing but a member of theirs by that name. */
  readonly isOnlyMember: (name: string) => boolean;
  readonly slice: (object: Value, start: Value, stop: Value, step: Value) => Value;
  readonly callMethod: (object: Value, name: string, args: CallArguments, frame: Frame) => Value;
  /** What a loop goes through. @throws TemplateRefusal for what cannot be gone through */
  readonly iterate: (value: Value) => readonly Value[];
  /** What macros and levels of recursive loops cost, how deep is fine for sure, and how deep is refused for sure. */
  readonly recursion: Recursion;
  /** A loop's `else` also runs when no pass through its body came to the end, or when the first one broke. */
  readonly elseAlsoAfter: "no-whole-pass" | "first-break";
  /** Constants on both sides of `and` that are not both true give false. */
  readonly foldsAnd: boolean;
  /** Whether a loop over this knows how many items there are. */
  readonly loopHasLength: (value: Value) => boolean;
  /** `{% set a, b = "xy" %}` */
  readonly unpacksTexts: boolean;
  /** Names that a macro may use without declaring them. */
  readonly implicitParameters: readonly string[];
  /** A parameter's default also stands for an argument that is undefined. */
  readonly defaultsReplaceUndefined: boolean;
  /** What is set inside of `{% filter %}`, `{% set %}` and the `else` of a loop is gone after it. */
  readonly capturesHaveScope: boolean;
}
