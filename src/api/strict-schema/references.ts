import { Buffer, isUtf8 } from "node:buffer";
import { JsonObject, type JsonValue } from "../../json/index.ts";
import { isList } from "../fields/index.ts";
import { hasOwnObjectRules, isObjectSchema, type SchemaNode, schemaError } from "./schema-node.ts";

/** Index of the node that the node at this index refers to by `$ref`. */
export type ReferenceTargets = ReadonlyMap<number, number>;

/** Resolves every `$ref`: only to schemas of the same document, by JSON Pointer. */
export function resolveReferences(nodes: readonly SchemaNode[]): ReferenceTargets {
  const byPointer = new Map(nodes.map((node, at) => [node.pointer, at]));
  const targets = new Map<number, number>();
  nodes.forEach((node, at) => {
    const reference = node.schema instanceof JsonObject ? node.schema.get("$ref") : undefined;
    if (typeof reference !== "string") return;
    const location = `${node.pointer}/$ref`;
    const target = byPointer.get(referencePointer(reference, location));
    if (target === undefined) throw schemaError(location, "the reference does not lead to a schema of this document");
    targets.set(at, target);
  });
  return targets;
}

function referencePointer(reference: string, location: string): string {
  if (!reference.startsWith("#")) throw schemaError(location, "only references within the document are supported");
  const fragment = reference.slice(1);
  if (/%(?![0-9a-fA-F]{2})/.test(fragment)) throw schemaError(location, "a bad percent escape");
  const pointer = percentDecode(fragment);
  if (pointer === undefined) throw schemaError(location, "the reference is not UTF-8");
  if (pointer !== "" && !pointer.startsWith("/")) throw schemaError(location, "named anchors are not supported");
  if (/~(?![01])/.test(pointer)) throw schemaError(location, "a bad JSON Pointer escape");
  return pointer;
}

function percentDecode(text: string): string | undefined {
  const bytes = Buffer.from(
    Buffer.from(text)
      .toString("latin1")
      .replace(/%([0-9a-fA-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    "latin1",
  );
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** Refuses schemas that are only references to each other in a circle. */
export function checkReferenceCycles(nodes: readonly SchemaNode[], targets: ReferenceTargets): void {
  const finished = new Set<number>();
  for (const start of targets.keys()) {
    const chain = new Set<number>();
    for (let at: number | undefined = start; at !== undefined && !finished.has(at); at = targets.get(at)) {
      if (chain.has(at)) throw schemaError(nodes[at]?.pointer ?? "", "references form a circle");
      chain.add(at);
    }
    for (const at of chain) finished.add(at);
  }
}

/** An object type beside a `$ref`, without rules of its own, must lead to a schema that closes the object. */
export function checkReferenceClosure(nodes: readonly SchemaNode[], targets: ReferenceTargets): void {
  const isClosed = new Map<number, boolean>();
  for (const start of targets.keys()) {
    const node = nodes[start];
    if (!(node?.schema instanceof JsonObject) || !isObjectSchema(node.schema) || hasOwnObjectRules(node.schema))
      continue;
    if (!isClosedAtEnd(start, nodes, targets, isClosed)) {
      throw schemaError(node.pointer, "the referenced schema must have additionalProperties: false");
    }
  }
}

/** Follows references to the first schema with object rules; answers are kept, so that long chains cost once. */
function isClosedAtEnd(
  start: number,
  nodes: readonly SchemaNode[],
  targets: ReferenceTargets,
  isClosed: Map<number, boolean>,
): boolean {
  const chain: number[] = [];
  let answer = false;
  for (let at: number | undefined = start; at !== undefined; at = targets.get(at)) {
    const known = isClosed.get(at);
    const schema = nodes[at]?.schema;
    if (known !== undefined) answer = known;
    else if (schema instanceof JsonObject && hasOwnObjectRules(schema))
      answer = schema.get("additionalProperties") === false;
    else {
      chain.push(at);
      continue;
    }
    break;
  }
  for (const at of chain) isClosed.set(at, answer);
  return answer;
}

/** The root, or what it refers to, must say that it is an object and nothing else. */
export function checkRoot(nodes: readonly SchemaNode[], targets: ReferenceTargets): void {
  let isObject = false;
  for (let at: number | undefined = 0; at !== undefined; at = targets.get(at)) {
    const schema = nodes[at]?.schema;
    if (!(schema instanceof JsonObject)) break;
    if (schema.has("anyOf")) throw schemaError("", "the root must not use anyOf");
    const type = schema.get("type");
    if (type !== undefined && !isObjectType(type)) throw schemaError("", "the root must have the type object only");
    isObject ||= type !== undefined;
  }
  if (!isObject) throw schemaError("", "the root must have the type object");
}

function isObjectType(type: JsonValue): boolean {
  return type === "object" || (isList(type) && type.length === 1 && type[0] === "object");
}
