import { Environment, type Scope } from "./engine.ts";

/** What the engine's value of each type holds. */
interface Contents {
  IntegerValue: number;
  FloatValue: number;
  StringValue: string;
  BooleanValue: boolean;
  ArrayValue: RuntimeValue[];
  TupleValue: RuntimeValue[];
  ObjectValue: Map<string, RuntimeValue>;
  KeywordArgumentsValue: Map<string, RuntimeValue>;
  NamespaceValue: Map<string, RuntimeValue>;
  FunctionValue: (args: RuntimeValue[], scope: Scope) => RuntimeValue;
  NullValue: null;
  UndefinedValue: undefined;
}

type TypeName = keyof Contents;

interface Value<Name extends TypeName> {
  readonly type: Name;
  readonly value: Contents[Name];
  /** Python's truth. */
  __bool__(): { readonly value: boolean };
}

/** A value inside the engine. */
export type RuntimeValue = { [Name in TypeName]: Value<Name> }[TypeName];

/** The engine does not export its value classes; values of each kind do. */
function kindOf<Name extends TypeName>(sample: unknown): new (value: Contents[Name]) => Value<Name> {
  return new Environment().set("sample", sample).constructor as new (
    value: Contents[Name],
  ) => Value<Name>;
}

export const IntegerValue = kindOf<"IntegerValue">(0);
export const FloatValue = kindOf<"FloatValue">(0.5);
export const StringValue = kindOf<"StringValue">("");
export const BooleanValue = kindOf<"BooleanValue">(true);
export const ArrayValue = kindOf<"ArrayValue">([]);
export const ObjectValue = kindOf<"ObjectValue">({});
export const FunctionValue = kindOf<"FunctionValue">(() => null);
export const NullValue = kindOf<"NullValue">(null);
export const UndefinedValue = kindOf<"UndefinedValue">(undefined);

/** An integer beyond 2^53: printed from its digits, refused by arithmetic. */
export class BigIntegerValue extends IntegerValue {
  readonly digits: string;

  constructor(digits: string) {
    super(Number(digits));
    this.digits = digits;
  }
}

/** What jinja2's lazy filters give: true even when empty, and neither printed, indexed nor counted. */
export class GeneratorValue extends ArrayValue {
  override __bool__(): { readonly value: boolean } {
    return { value: true };
  }
}

export const text = (value: string): RuntimeValue => new StringValue(value);
export const claim = (value: boolean): RuntimeValue => new BooleanValue(value);
export const undefinedValue = (): RuntimeValue => new UndefinedValue(undefined);

export function isString(value: RuntimeValue): value is Value<"StringValue"> {
  return value.type === "StringValue";
}

export function isInteger(value: RuntimeValue): value is Value<"IntegerValue"> {
  return value.type === "IntegerValue";
}

export function isFloat(value: RuntimeValue): value is Value<"FloatValue"> {
  return value.type === "FloatValue";
}

export function isBoolean(value: RuntimeValue): value is Value<"BooleanValue"> {
  return value.type === "BooleanValue";
}

export function isArray(value: RuntimeValue): value is Value<"ArrayValue"> | Value<"TupleValue"> {
  return value.type === "ArrayValue" || value.type === "TupleValue";
}

/** A dict, but no namespace. */
export function isMapping(value: RuntimeValue): value is Value<"ObjectValue"> | Value<"KeywordArgumentsValue"> {
  return value.type === "ObjectValue" || value.type === "KeywordArgumentsValue";
}

export function isNone(value: RuntimeValue): boolean {
  return value.type === "NullValue";
}

export function isUndefined(value: RuntimeValue): boolean {
  return value.type === "UndefinedValue";
}
