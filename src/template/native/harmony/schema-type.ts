import { JsonNumber, JsonObject, type JsonValue, serdeJsonText } from "../../../json/index.ts";
import { UnsupportedTemplateError } from "../../template-errors.ts";

/** Longest text of one tool's type: each level of a schema indents it further. */
const MAX_TYPE_LENGTH = 1_000_000;

/**
 * A JSON schema as a type of TypeScript (openai-harmony@0.0.8 src/encoding.rs json_schema_to_typescript).
 * @throws UnsupportedTemplateError for one that is longer than a prompt may be
 */
export function typeOfSchema(schema: JsonValue, indent = ""): string {
  const text = typeText(schema, indent);
  if (text.length > MAX_TYPE_LENGTH) throw new UnsupportedTemplateError("a tool's type too long to be printed");
  return text;
}

function typeText(schema: JsonValue, indent: string): string {
  if (!(schema instanceof JsonObject)) return "any";
  const variants = listOf(schema.get("oneOf"));
  if (variants !== undefined) return variants.map((variant) => variantLine(variant, indent)).join("");
  const type = schema.get("type");
  const union = (listOf(type) ?? []).flatMap((each) => (typeof each === "string" ? [each] : []));
  if (union.length > 0) return union.map((each) => (each === "integer" ? "number" : each)).join(" | ");
  switch (type) {
    case "object":
      return objectText(schema, indent);
    case "string":
      return enumText(schema) ?? "string";
    case "number":
    case "integer":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return schema.has("items") ? `${typeOfSchema(schema.get("items") ?? null, indent)}[]` : "Array<any>";
    default:
      return "any";
  }
}

function variantLine(variant: JsonValue, indent: string): string {
  const fallback = defaultOf(variant);
  const isQuoted = typeof fallback === "string" && !isEnum(variant);
  const comments = [textOf(variant, "description")];
  if (fallback !== undefined) comments.push(isQuoted ? `default: "${fallback}"` : `default: ${jsonText(fallback)}`);
  return `\n${indent} | ${nullableType(variant, `${indent}   `)}${trailing(comments)}`;
}

function enumText(schema: JsonObject): string | undefined {
  const values = (listOf(schema.get("enum")) ?? []).filter((value) => typeof value === "string");
  return values.length === 0 ? undefined : values.map((value) => `"${value}"`).join(" | ");
}

function objectText(schema: JsonObject, indent: string): string {
  const description = textOf(schema, "description");
  const head = description === undefined ? "" : `${indent}// ${description}\n`;
  const properties = schema.get("properties");
  const required = new Set(listOf(schema.get("required")) ?? []);
  const lines: string[] = [];
  for (const [name, property] of properties instanceof JsonObject ? properties.entries() : []) {
    const title = required.has(name) ? name : `${name}?`;
    lines.push(propertyHead(property, indent), propertyText(title, property, indent));
  }
  return `${head}{\n${lines.join("")}${indent}}`;
}

/** What stands above a property. */
function propertyHead(property: JsonValue, indent: string): string {
  const lines: string[] = [];
  const title = textOf(property, "title");
  if (title !== undefined) lines.push(`${indent}// ${title}\n${indent}//\n`);
  const description = has(property, "oneOf") ? undefined : textOf(property, "description");
  if (description !== undefined) lines.push(`${indent}// ${description}\n`);
  const examples = listOf(member(property, "examples")) ?? [];
  if (examples.length > 0) lines.push(`${indent}// Examples:\n`);
  for (const example of examples) if (typeof example === "string") lines.push(`${indent}// - "${example}"\n`);
  return lines.join("");
}

function propertyText(title: string, property: JsonValue, indent: string): string {
  const variants = listOf(member(property, "oneOf"));
  if (variants !== undefined) return variantsText(title, property, variants, indent);
  const fallback = has(property, "oneOf") ? undefined : plainDefault(property);
  const comment = fallback === undefined ? "" : ` // ${fallback}`;
  return `${indent}${title}: ${nullableType(property, `${indent}    `)},${comment}\n`;
}

/** A description that the first variant has as well is printed there; else it stands above, and that variant's own is left out. */
function variantsText(title: string, property: JsonValue, variants: readonly JsonValue[], indent: string): string {
  const description = textOf(property, "description");
  const isAbove = description !== undefined && description !== textOf(variants[0] ?? null, "description");
  const fallback = plainDefault(property);
  const lines = isAbove ? [`${indent}// ${description}\n`] : [];
  if (fallback !== undefined) lines.push(`${indent}// ${fallback}\n`);
  lines.push(`${indent}${title}:\n`);
  for (const [at, variant] of variants.entries()) {
    const own = textOf(variant, "description");
    const comments = [(at === 0 && isAbove) || own === description ? undefined : own, plainDefault(variant)];
    lines.push(`${indent} | ${nullableType(variant, `${indent}   `)}${trailing(comments)}\n`);
  }
  lines.push(`${indent},\n`);
  return lines.join("");
}

function nullableType(schema: JsonValue, indent: string): string {
  const type = typeOfSchema(schema, indent);
  return member(schema, "nullable") === true && !type.includes("null") ? `${type} | null` : type;
}

function trailing(comments: readonly (string | undefined)[]): string {
  const given = comments.filter((comment) => comment !== undefined);
  return given.length === 0 ? "" : ` // ${given.join(" ")}`;
}

/** Text is quoted, but not one of an enumeration. */
function plainDefault(schema: JsonValue): string | undefined {
  const fallback = defaultOf(schema);
  if (fallback === undefined) return undefined;
  if (typeof fallback !== "string") return `default: ${jsonText(fallback)}`;
  return isEnum(schema) ? `default: ${fallback}` : `default: "${fallback}"`;
}

function isEnum(schema: JsonValue): boolean {
  return (listOf(member(schema, "enum")) ?? []).length > 0;
}

function defaultOf(schema: JsonValue): JsonValue | undefined {
  return member(schema, "default");
}

function member(schema: JsonValue, name: string): JsonValue | undefined {
  return schema instanceof JsonObject ? schema.get(name) : undefined;
}

function has(schema: JsonValue, name: string): boolean {
  return schema instanceof JsonObject && schema.has(name);
}

function textOf(schema: JsonValue, name: string): string | undefined {
  const value = member(schema, name);
  return typeof value === "string" ? value : undefined;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] | undefined {
  return Array.isArray(value) ? (value as readonly JsonValue[]) : undefined;
}

/**
 * Python has read the numbers before: a double has its shortest digits.
 * @throws UnsupportedTemplateError for large doubles, which the versions of the library write in two ways
 */
function jsonText(value: JsonValue): string {
  return serdeJsonText(asPython(value));
}

function asPython(value: JsonValue): JsonValue {
  if (value instanceof JsonNumber) return value.isInteger ? value : asDouble(value.toNumber());
  if (value instanceof JsonObject)
    return JsonObject.from([...value.entries()].map(([key, own]) => [key, asPython(own)]));
  return listOf(value)?.map(asPython) ?? value;
}

function asDouble(double: number): JsonNumber {
  if (Math.abs(double) >= 1e16) throw new UnsupportedTemplateError("a default with an exponent");
  return new JsonNumber(Object.is(double, -0) ? "-0.0" : String(double), false);
}
