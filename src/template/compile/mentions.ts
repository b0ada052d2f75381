import type { Body } from "../parser/ast.ts";

/** Whether a body mentions a variable anywhere inside. */
export function mentions(body: Body, name: string): boolean {
  return isMentioned(body, name);
}

/** Whether a node of the tree mentions a variable. */
export function isMentioned(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((item) => isMentioned(item, name));
  if (typeof node !== "object" || node === null) return false;
  const { type } = node as { readonly type?: unknown };
  if (type === "name") return (node as { readonly name?: unknown }).name === name;
  if (type === "const") return false;
  return Object.values(node).some((member) => isMentioned(member, name));
}
