import { huggingface } from "./dialect/huggingface.ts";
import { tokenize } from "./lexer/lexer.ts";
import type { Body, Expression } from "./parser/ast.ts";
import { parseTemplate } from "./parser/statements.ts";

/** A node of a template's tree. */
export type TemplateNode = Expression | Body[number];

/**
 * The tree of a template as Hugging Face's Jinja reads it, for looking up how it uses what it is given.
 * @throws UnsupportedTemplateError when it cannot be parsed
 */
export function templateSyntax(source: string): Body {
  return parseTemplate(tokenize(source, huggingface.syntax), huggingface.syntax);
}

/** All nodes below (and with) a tree's part. */
export function* templateNodes(part: unknown): Generator<TemplateNode> {
  if (Array.isArray(part)) {
    for (const item of part) yield* templateNodes(item);
    return;
  }
  if (typeof part !== "object" || part === null) return;
  const { type } = part as { readonly type?: unknown };
  if (type === "const") return;
  if (typeof type === "string") yield part as TemplateNode;
  for (const member of Object.values(part)) yield* templateNodes(member);
}
