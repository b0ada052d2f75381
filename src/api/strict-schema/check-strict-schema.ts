import { JsonObject, type JsonValue } from "../../json/index.ts";
import { isList } from "../fields/index.ts";
import { SchemaBudgets } from "./budgets.ts";
import { checkClosedObject, checkKeywords } from "./keyword-shapes.ts";
import { checkReferenceClosure, checkReferenceCycles, checkRoot, resolveReferences } from "./references.ts";
import { childPointer, isObjectSchema, type SchemaNode, schemaError, uniqueStrings } from "./schema-node.ts";

const MAX_OBJECT_DEPTH = 10;

const mapKeywords = ["properties", "patternProperties", "$defs", "definitions"];
const listKeywords = ["anyOf", "prefixItems", "items"];
const schemaKeywords = [
  "additionalProperties",
  "additionalItems",
  "propertyNames",
  "unevaluatedProperties",
  "contentSchema",
];

/**
 * Checks that the parameters of a `strict: true` function stay within the structured-output subset of JSON Schema
 * (dynamo-llm@1.6.1 protocols/openai/strict_schema.rs). O(size of the schema).
 * @throws FieldError without a path: the caller names the tool
 */
export function checkStrictSchema(root: JsonValue): void {
  const walk = new SchemaWalk(root);
  const targets = resolveReferences(walk.nodes);
  if (targets.size > 0 && walk.nestedId !== undefined) {
    throw schemaError(walk.nestedId, "references and nested identifiers do not go together");
  }
  checkReferenceCycles(walk.nodes, targets);
  checkReferenceClosure(walk.nodes, targets);
  checkRoot(walk.nodes, targets);
}

/** Breadth-first over all schemas of the document, each checked by itself. */
class SchemaWalk {
  readonly nodes: SchemaNode[];
  /** First schema below the root that has an identifier of its own. */
  nestedId: string | undefined;
  readonly #budgets = new SchemaBudgets();

  constructor(root: JsonValue) {
    this.nodes = [{ pointer: "", schema: root, objectDepth: 0 }];
    for (let at = 0; at < this.nodes.length; at++) this.#visit(this.nodes[at] as SchemaNode);
  }

  #visit({ pointer, schema, objectDepth }: SchemaNode): void {
    if (typeof schema === "boolean") return;
    if (!(schema instanceof JsonObject)) throw schemaError(pointer, "a schema must be an object or a boolean");
    checkKeywords(schema, pointer);
    if (pointer !== "" && (schema.has("$id") || schema.has("id"))) this.nestedId ??= pointer;
    const isObject = isObjectSchema(schema);
    if (isObject && objectDepth > MAX_OBJECT_DEPTH) {
      throw schemaError(pointer, `objects nest deeper than ${MAX_OBJECT_DEPTH} levels`);
    }
    checkClosedObject(schema, pointer);
    this.#budgets.countEnum(schema, pointer);
    this.#addChildren(schema, pointer, objectDepth + (isObject ? 1 : 0));
    this.#budgets.check(pointer);
  }

  #addChildren(schema: JsonObject, pointer: string, objectDepth: number): void {
    for (const keyword of mapKeywords) this.#addMap(schema, keyword, pointer, objectDepth);
    for (const keyword of listKeywords) this.#addList(schema, keyword, pointer, objectDepth);
    for (const keyword of schemaKeywords) {
      const child = schema.get(keyword);
      if (child !== undefined) this.nodes.push({ pointer: childPointer(pointer, keyword), schema: child, objectDepth });
    }
    this.#addDependencies(schema, pointer, objectDepth);
  }

  #addMap(schema: JsonObject, keyword: string, pointer: string, objectDepth: number): void {
    const map = schema.get(keyword);
    if (map === undefined) return;
    const location = childPointer(pointer, keyword);
    if (!(map instanceof JsonObject)) throw schemaError(location, "a map of schemas is expected");
    if (keyword === "properties") this.#budgets.countProperties(map.size);
    for (const [name, child] of map.entries()) {
      if (keyword !== "patternProperties") this.#budgets.countName(name);
      this.nodes.push({ pointer: childPointer(location, name), schema: child, objectDepth });
    }
  }

  #addList(schema: JsonObject, keyword: string, pointer: string, objectDepth: number): void {
    const value = schema.get(keyword);
    if (value === undefined) return;
    const location = childPointer(pointer, keyword);
    if (keyword === "items" && !isList(value)) {
      this.nodes.push({ pointer: location, schema: value, objectDepth });
      return;
    }
    if (!isList(value) || value.length === 0) throw schemaError(location, "a nonempty array of schemas is expected");
    value.forEach((child, at) => {
      this.nodes.push({ pointer: `${location}/${at}`, schema: child, objectDepth });
    });
  }

  #addDependencies(schema: JsonObject, pointer: string, objectDepth: number): void {
    const map = schema.get("dependencies");
    if (map === undefined) return;
    const location = childPointer(pointer, "dependencies");
    if (!(map instanceof JsonObject)) throw schemaError(location, "a map of dependencies is expected");
    for (const [name, child] of map.entries()) {
      if (isList(child)) uniqueStrings(child, childPointer(location, name));
      else this.nodes.push({ pointer: childPointer(location, name), schema: child, objectDepth });
    }
  }
}
