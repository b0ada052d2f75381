import { type Arguments, argument, booleanArgument, integerArgument, stringArgument } from "./arguments.ts";
import type { TemplateDialect } from "./dialect.ts";
import { loopItems } from "./loops.ts";
import { memberOf } from "./members.ts";
import { replaced } from "./methods.ts";
import { isEqual } from "./operators.ts";
import { dumpJson } from "./python-json.ts";
import { strip } from "./python-text.ts";
import {
  ArrayValue,
  GeneratorValue,
  IntegerValue,
  isArray,
  isInteger,
  isMapping,
  isNone,
  isString,
  isUndefined,
  type RuntimeValue,
  text,
  undefinedValue,
} from "./runtime-values.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "./template-errors.ts";
import { applyTest } from "./tests.ts";
import { printed } from "./value-text.ts";

type Filter = (operand: RuntimeValue, args: Arguments, dialect: TemplateDialect) => RuntimeValue;

const filters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ["tojson", toJson],
  ["length", length],
  ["count", length],
  ["trim", (operand, args, dialect) => text(strip(printed(operand, dialect), stringArgument(args, 0, "chars")))],
  ["string", (operand, _, dialect) => text(printed(operand, dialect))],
  ["safe", safe],
  ["default", orElse],
  ["d", orElse],
  ["list", (operand, _, dialect) => new ArrayValue([...loopItems(operand, dialect)])],
  ["first", (operand) => sequence(operand).at(0) ?? undefinedValue()],
  ["last", (operand) => sequence(operand).at(-1) ?? undefinedValue()],
  ["reverse", (operand) => new ArrayValue([...sequence(operand)].reverse())],
  ["join", (operand, args, dialect) => text(joined(sequence(operand), args, dialect))],
  ["upper", (operand) => text(stringOf(operand).toUpperCase())],
  ["lower", (operand) => text(stringOf(operand).toLowerCase())],
  ["replace", (operand, args) => text(replaced(stringOf(operand), args))],
  ["items", items],
  ["map", (operand, args, dialect) => lazy(mapped(sequence(operand), args, dialect), dialect)],
  [
    "select",
    (operand, args, dialect) => lazy(selected(sequence(operand), args, { testAt: 0, isKept: true }, dialect), dialect),
  ],
  [
    "reject",
    (operand, args, dialect) => lazy(selected(sequence(operand), args, { testAt: 0, isKept: false }, dialect), dialect),
  ],
  [
    "selectattr",
    (operand, args, dialect) => lazy(selected(sequence(operand), args, { testAt: 1, isKept: true }, dialect), dialect),
  ],
  [
    "rejectattr",
    (operand, args, dialect) => lazy(selected(sequence(operand), args, { testAt: 1, isKept: false }, dialect), dialect),
  ],
]);

/** `operand | name(...)`. */
export function applyFilter(
  operand: RuntimeValue,
  name: string,
  args: Arguments,
  dialect: TemplateDialect,
): RuntimeValue {
  const filter = filters.get(name);
  if (filter === undefined) throw new UnsupportedTemplateError(`filter ${name}`);
  return filter(operand, args, dialect);
}

function toJson(operand: RuntimeValue, args: Arguments, dialect: TemplateDialect): RuntimeValue {
  if (operand instanceof GeneratorValue) throw new TemplateRefusal();
  if (isUndefined(operand)) {
    // json.dumps cannot take jinja2's Undefined; what minijinja makes of it is not known.
    throw dialect === "huggingface" ? new TemplateRefusal() : new UnsupportedTemplateError("tojson of undefined");
  }
  if (booleanArgument(args, 9, "sort_keys") === true) throw new UnsupportedTemplateError("tojson with sort_keys");
  const [itemSeparator, keySeparator] = separators(args);
  return text(
    dumpJson(operand, {
      indent: integerArgument(args, dialect === "huggingface" ? 1 : 0, "indent"),
      ensureAscii: booleanArgument(args, dialect === "huggingface" ? 0 : 9, "ensure_ascii"),
      itemSeparator,
      keySeparator,
    }),
  );
}

/** Marks text as not to be escaped: nothing is in minijinja, while jinja2 escapes what is joined to it. */
function safe(operand: RuntimeValue, _: Arguments, dialect: TemplateDialect): RuntimeValue {
  if (dialect === "huggingface") throw new UnsupportedTemplateError("filter safe");
  return operand;
}

function separators(args: Arguments): (string | undefined)[] {
  const pair = argument(args, 2, "separators");
  if (pair === undefined) return [];
  if (!isArray(pair) || pair.value.length !== 2) throw new UnsupportedTemplateError("separators of tojson");
  return pair.value.map(stringOf);
}

function length(operand: RuntimeValue, _: Arguments, dialect: TemplateDialect): RuntimeValue {
  if (isUndefined(operand)) return new IntegerValue(0);
  if (operand instanceof GeneratorValue) throw new TemplateRefusal();
  if (isArray(operand)) return new IntegerValue(operand.value.length);
  if (isMapping(operand)) return new IntegerValue(operand.value.size);
  if (isString(operand)) return new IntegerValue([...operand.value].length);
  if (isNone(operand) && dialect === "dynamo") return new IntegerValue(0);
  throw new TemplateRefusal();
}

function orElse(operand: RuntimeValue, args: Arguments): RuntimeValue {
  const fallback = args.positional[0] ?? args.named.get("default_value") ?? text("");
  const isFalsyReplaced = booleanArgument(args, 1, "boolean") === true;
  return isUndefined(operand) || (isFalsyReplaced && !operand.__bool__().value) ? fallback : operand;
}

function sequence(operand: RuntimeValue): readonly RuntimeValue[] {
  if (isArray(operand)) return operand.value;
  if (isUndefined(operand)) return [];
  throw new UnsupportedTemplateError(`a list filter on ${operand.type}`);
}

function stringOf(operand: RuntimeValue): string {
  if (!isString(operand)) throw new UnsupportedTemplateError(`a string filter on ${operand.type}`);
  return operand.value;
}

function joined(operands: readonly RuntimeValue[], args: Arguments, dialect: TemplateDialect): string {
  if (args.named.has("attribute") || args.positional.length > 1)
    throw new UnsupportedTemplateError("join by attribute");
  const parts = operands.map((item) => {
    if (isString(item) || isInteger(item)) return printed(item, dialect);
    throw new UnsupportedTemplateError(`join of ${item.type}`);
  });
  return parts.join(stringArgument(args, 0, "d") ?? "");
}

function items(operand: RuntimeValue): RuntimeValue {
  if (!isMapping(operand)) throw new UnsupportedTemplateError(`items of ${operand.type}`);
  return new ArrayValue([...operand.value].map(([key, member]) => new ArrayValue([text(key), member])));
}

/** jinja2 gives generators here, minijinja lists. */
function lazy(items: RuntimeValue[], dialect: TemplateDialect): RuntimeValue {
  return dialect === "huggingface" ? new GeneratorValue(items) : new ArrayValue(items);
}

function mapped(operands: readonly RuntimeValue[], args: Arguments, dialect: TemplateDialect): RuntimeValue[] {
  const attribute = args.named.get("attribute");
  if (attribute === undefined) {
    const name = stringArgument(args, 0, "filter") ?? "";
    const rest = { positional: args.positional.slice(1), named: args.named };
    return operands.map((item) => applyFilter(item, name, rest, dialect));
  }
  const fallback = args.named.get("default");
  return operands.map((item) => {
    const member = attributeOf(item, attribute);
    return isUndefined(member) && fallback !== undefined ? fallback : member;
  });
}

interface Selection {
  /** Place of the test's name among the arguments; before it stands the attribute. */
  readonly testAt: 0 | 1;
  /** Whether those that meet the test are kept, or the others. */
  readonly isKept: boolean;
}

function selected(
  operands: readonly RuntimeValue[],
  args: Arguments,
  { testAt, isKept }: Selection,
  dialect: TemplateDialect,
): RuntimeValue[] {
  const attribute = testAt === 0 ? undefined : args.positional[0];
  const test = stringArgument(args, testAt, "test");
  const operand = args.positional[testAt + 1];
  return operands.filter((item) => {
    const value = attribute === undefined ? item : attributeOf(item, attribute);
    return meets(value, test, operand, dialect) === isKept;
  });
}

function attributeOf(item: RuntimeValue, attribute: RuntimeValue): RuntimeValue {
  if (!isString(attribute) || attribute.value.includes(".")) throw new UnsupportedTemplateError("a path of attributes");
  return memberOf(item, attribute);
}

function meets(
  value: RuntimeValue,
  test: string | undefined,
  operand: RuntimeValue | undefined,
  dialect: TemplateDialect,
): boolean {
  if (test === undefined) return value.__bool__().value;
  if (operand === undefined) return applyTest(value, test, dialect);
  if (test === "equalto" || test === "eq" || test === "==") return isEqual(value, operand);
  if (test === "ne" || test === "!=") return !isEqual(value, operand);
  if (test === "in" && isArray(operand)) return operand.value.some((member) => isEqual(value, member));
  throw new UnsupportedTemplateError(`test ${test} with an argument`);
}
