import { templateNodes, templateSyntax, UnsupportedTemplateError } from "../../../src/template/index.ts";
import type { Chance } from "../parity/bodies/chance.ts";
import type { NodeSource } from "../parity/bodies/json-node.ts";
import { sentence } from "../parity/bodies/texts.ts";
import { value } from "../parity/bodies/values.ts";

/** What the server sets itself, and functions. */
const others = new Set(["messages", "tools", "loop", "range", "namespace", "dict", "raise_exception", "strftime_now"]);

/** Names that a template reads, or sets: those that a client can give values to are among them. */
export function variableNames(source: string | undefined): readonly string[] {
  if (source === undefined) return [];
  const names = new Set<string>();
  try {
    for (const node of templateNodes(templateSyntax(source))) if (node.type === "name") names.add(node.name);
  } catch (error) {
    // What Hugging Face's Jinja does not read, Dynamo's may.
    if (!(error instanceof UnsupportedTemplateError)) throw error;
  }
  return [...names].filter((name) => !others.has(name));
}

/** A value for a variable of a template. */
export function variableValue(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [4, () => chance.is(0.5)],
    [3, () => chance.pick(["auto", "low", "high", "none", "on", "json", "2026-01-01", "", "chat", "en"])],
    [1, () => sentence(chance)],
    [1, () => chance.integer(0, 3)],
    [1, () => null],
    [1, () => chance.pick<NodeSource>([[], ["a"], {}, { a: "b" }, [{ title: "T", text: "x" }]])],
    [1, () => value(chance, 1)],
  );
}
