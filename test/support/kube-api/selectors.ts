import type { KubeObject } from "./kube-object.ts";

/** Whether an object is selected. */
export type Selects = (object: KubeObject) => boolean;

/** A selector that cannot be read. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
}

/**
 * Reads the query parameter `labelSelector`: `a=b`, `a==b`, `a!=b`, `a in (b,c)`, `a notin (b,c)`, `a`, `!a`, all of them
 * true at once. As in Kubernetes `!=` and `notin` select objects without the label too.
 */
export function labelSelector(text: string): Selects {
  const requirements = splitOutsideParentheses(text).map(labelRequirement);
  return ({ metadata }) => requirements.every((isMet) => isMet(metadata.labels ?? {}));
}

/** Reads the query parameter `fieldSelector`: `metadata.name=x` and `metadata.namespace=x`, with `==` and `!=` too. */
export function fieldSelector(text: string): Selects {
  const requirements = splitOutsideParentheses(text).map((part) => {
    const [, path, operator, value] = /^(metadata\.(?:name|namespace))(==?|!=)(.*)$/.exec(part) ?? [];
    if (path === undefined) throw new SelectorError(`field selector ${part} is not supported`);
    const field = path === "metadata.name" ? "name" : "namespace";
    return ({ metadata }: KubeObject) => (metadata[field] === value) === (operator !== "!=");
  });
  return (object) => requirements.every((isMet) => isMet(object));
}

type LabelRequirement = (labels: Readonly<Record<string, string>>) => boolean;

function labelRequirement(text: string): LabelRequirement {
  const [, key = "", operator, rest = ""] = /^!?\s*([\w./-]+)\s*(==?|!=|in\b|notin\b)?\s*(.*)$/.exec(text) ?? [];
  if (key === "") throw new SelectorError(`label selector ${text} cannot be read`);
  if (operator === undefined) {
    if (rest !== "") throw new SelectorError(`label selector ${text} cannot be read`);
    return (labels) => Object.hasOwn(labels, key) !== text.startsWith("!");
  }
  const isNegative = operator === "!=" || operator === "notin";
  const values = operator.endsWith("in") ? listed(rest, text) : [rest.trim()];
  return (labels) => {
    const value = labels[key];
    return (value !== undefined && values.includes(value)) !== isNegative;
  };
}

function listed(text: string, selector: string): readonly string[] {
  const [, inner] = /^\(([^()]*)\)$/.exec(text.trim()) ?? [];
  if (inner === undefined) throw new SelectorError(`label selector ${selector} cannot be read`);
  return inner.split(",").map((value) => value.trim());
}

function splitOutsideParentheses(text: string): readonly string[] {
  return text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
