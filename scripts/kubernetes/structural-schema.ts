/** A JSON schema, or an OpenAPI one. */
export type Schema = { readonly [member: string]: unknown };

/** What a validator needs of a schema. Descriptions, defaults and rules in CEL are left out. */
const keptMembers = [
  "$ref",
  "additionalProperties",
  "allOf",
  "anyOf",
  "enum",
  "items",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "oneOf",
  "pattern",
  "properties",
  "required",
  "type",
  "uniqueItems",
];

/**
 * The schema as draft 2020-12, closed: members that it does not name are errors, as they are to an API server with strict field
 * validation. Only the top level of a resource's `metadata` is left open where the source says no more than `object`.
 */
export function structuralSchema(source: Schema): Schema {
  return structure(source, true);
}

/** @param isClosed false: within alternatives, which only narrow what the schema around them already describes */
function structure(source: Schema, isClosed: boolean): Schema {
  if (source["x-kubernetes-int-or-string"] === true || source["format"] === "int-or-string") {
    return { type: ["integer", "string"] };
  }
  const kept = Object.fromEntries(
    Object.entries(source)
      .filter(([member]) => keptMembers.includes(member))
      .map(([member, value]) => [member, converted(member, value, isClosed)]),
  );
  const isOpen = !isClosed || source["x-kubernetes-preserve-unknown-fields"] === true;
  if (kept["properties"] !== undefined && kept["additionalProperties"] === undefined && !isOpen) {
    kept["additionalProperties"] = false;
  }
  if (source["nullable"] === true && typeof kept["type"] === "string") kept["type"] = [kept["type"], "null"];
  // OpenAPI wraps a reference that has a default or a description.
  const [only, ...others] = (kept["allOf"] ?? []) as Schema[];
  return only !== undefined && others.length === 0 && Object.keys(kept).length === 1 ? only : kept;
}

function converted(member: string, value: unknown, isClosed: boolean): unknown {
  if (member === "$ref") return String(value).replace("#/components/schemas/", "#/$defs/");
  if (member === "properties") {
    const members = Object.entries(value as Record<string, Schema>);
    return Object.fromEntries(members.map(([name, each]) => [name, structure(each, isClosed)]));
  }
  if (["allOf", "anyOf", "oneOf"].includes(member)) return (value as Schema[]).map((each) => structure(each, false));
  if (member === "not") return structure(value as Schema, false);
  if (member === "items" || (member === "additionalProperties" && typeof value === "object")) {
    return structure(value as Schema, isClosed);
  }
  return value;
}

/** The definitions that a schema refers to, and those that they refer to. */
export function referredDefinitions(root: Schema, all: Readonly<Record<string, Schema>>): Record<string, Schema> {
  const found: Record<string, Schema> = {};
  const visit = (schema: Schema) => {
    for (const [, name = ""] of JSON.stringify(schema).matchAll(/"#\/\$defs\/([^"]+)"/g)) {
      const source = all[name];
      if (source === undefined || found[name] !== undefined) continue;
      const definition = structuralSchema(source);
      found[name] = definition;
      visit(definition);
    }
  };
  visit(root);
  return found;
}
