import { Buffer } from "node:buffer";
import { FieldError } from "../fields/index.ts";
import type { InputItem } from "./items.ts";
import type { ResponsesTool } from "./tools.ts";

interface ToolIdentity {
  readonly namespace: string | undefined;
  readonly name: string;
}

const MAX_ALIAS_STEM = 48;

/**
 * Chat names of a request's functions: chat has no namespaces. A bare name that one identity uses stays; a name that several use
 * gets aliases, the same for the tools and for calls in the history (dynamo-llm@1.6.1 responses/tool_names.rs).
 */
export class ToolNames {
  readonly #aliases = new Map<string, string>();
  readonly #assigned = new Set<string>();
  readonly #available = new Set<string>();
  readonly #availableByName = new Map<string, readonly ToolIdentity[]>();

  constructor(tools: readonly ResponsesTool[], items: readonly InputItem[]) {
    const available = sortedIdentities(tools.flatMap(identitiesOf));
    for (const identity of available) {
      this.#available.add(keyOf(identity));
      this.#availableByName.set(identity.name, [...(this.#availableByName.get(identity.name) ?? []), identity]);
    }
    const called = items.filter((item) => item.kind === "function-call");
    const identities = sortedIdentities([...available, ...called]);
    this.#assign(identities);
  }

  /** The chat name; an unknown identity keeps its bare name. */
  alias(namespace: string | undefined, name: string): string {
    return this.#aliases.get(keyOf({ namespace, name })) ?? name;
  }

  /**
   * The chat name of a chosen function. Without a namespace a top-level function comes first, then the only one of that name.
   * @throws FieldError for an ambiguous or unknown choice; an unknown bare name passes unless it equals an alias
   */
  resolveChoice(namespace: string | undefined, name: string): string {
    if (this.#available.has(keyOf({ namespace, name }))) return this.alias(namespace, name);
    if (namespace === undefined) {
      const [match, other] = this.#availableByName.get(name) ?? [];
      if (other !== undefined) throw new FieldError("names a function of several namespaces without saying which");
      if (match !== undefined) return this.alias(match.namespace, match.name);
      if (!this.#assigned.has(name)) return name;
    }
    throw new FieldError("names a function that is not in `tools`");
  }

  #assign(identities: readonly ToolIdentity[]): void {
    const uses = new Map<string, number>();
    for (const { name } of identities) uses.set(name, (uses.get(name) ?? 0) + 1);
    const taken = new Set(uses.keys());
    let suffix = 0;
    for (const identity of identities) {
      let alias = identity.name;
      if (uses.get(identity.name) !== 1) {
        const stem = aliasStem(identity);
        for (alias = stem; taken.has(alias); suffix++) alias = `${stem}_${suffix}`;
        taken.add(alias);
      }
      this.#assigned.add(alias);
      this.#aliases.set(keyOf(identity), alias);
    }
  }
}

/** Characters beyond the chat alphabet become underscores; cut so that a suffix still fits the name limit. */
function aliasStem({ namespace, name }: ToolIdentity): string {
  const characters = [...`${namespace ?? "function"}__${name}`].slice(0, MAX_ALIAS_STEM);
  return characters.map((character) => (/[A-Za-z0-9_-]/.test(character) ? character : "_")).join("");
}

function identitiesOf(tool: ResponsesTool): readonly ToolIdentity[] {
  if (tool.type === "function" && "name" in tool) return [{ namespace: undefined, name: tool.name }];
  if (tool.type !== "namespace" || !("tools" in tool)) return [];
  return tool.tools.flatMap((inner) => (inner.type === "function" ? [{ namespace: tool.name, name: inner.name }] : []));
}

/** Each identity once: those without namespace first, then by namespace and name, in the order of their UTF-8 bytes. */
function sortedIdentities(identities: readonly ToolIdentity[]): readonly ToolIdentity[] {
  const unique = new Map(identities.map((identity) => [keyOf(identity), identity]));
  return [...unique.values()].sort(compareIdentities);
}

function compareIdentities(a: ToolIdentity, b: ToolIdentity): number {
  if ((a.namespace === undefined) !== (b.namespace === undefined)) return a.namespace === undefined ? -1 : 1;
  return compareText(a.namespace ?? "", b.namespace ?? "") || compareText(a.name, b.name);
}

function compareText(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function keyOf({ namespace, name }: ToolIdentity): string {
  return namespace === undefined ? `-${name}` : `+${namespace.length}:${namespace}${name}`;
}
