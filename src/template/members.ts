import {
  GeneratorValue,
  isArray,
  isInteger,
  isMapping,
  isString,
  isUndefined,
  type RuntimeValue,
  text,
  undefinedValue,
} from "./runtime-values.ts";
import { TemplateRefusal, UnsupportedTemplateError } from "./template-errors.ts";

/** `object.key` and `object[key]`: undefined when there is none. */
export function memberOf(object: RuntimeValue, key: RuntimeValue): RuntimeValue {
  if (isUndefined(object)) throw new TemplateRefusal();
  if (isMapping(object) || object.type === "NamespaceValue") {
    const members = object.value as Map<string, RuntimeValue>;
    return (isString(key) ? members.get(key.value) : undefined) ?? undefinedValue();
  }
  if (!isInteger(key)) return undefinedValue();
  if (object instanceof GeneratorValue) throw new UnsupportedTemplateError("indexing a generator");
  if (isArray(object)) return object.value.at(key.value) ?? undefinedValue();
  if (!isString(object)) return undefinedValue();
  const character = [...object.value].at(key.value);
  return character === undefined ? undefinedValue() : text(character);
}
