import type { Chance } from "./chance.ts";
import type { NodeSource } from "./json-node.ts";
import { functionName, text } from "./texts.ts";
import { functionFields, object } from "./values.ts";

const namespaces = ["files", "web search", "files", "a".repeat(50)];

export function namespaceName(chance: Chance): string {
  return chance.pick(namespaces);
}

export function tool(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [12, () => functionTool(chance)],
    [3, () => namespaceTool(chance)],
    [chance.odd(1), () => hostedTool(chance)],
    [chance.odd(0.3), () => ({ type: "function", function: functionFields(chance) })],
  );
}

function functionTool(chance: Chance): NodeSource {
  return {
    type: "function",
    ...functionFields(chance),
    async: chance.maybe(0.02, () => true),
    output_schema: chance.maybe(0.02, () => object(chance, 1)),
    allowed_callers: chance.maybe(0.02, () =>
      chance.usually<NodeSource>([["direct"], ["programmatic"], null], [["other"]]),
    ),
  };
}

function namespaceTool(chance: Chance): NodeSource {
  return {
    type: "namespace",
    name: namespaceName(chance),
    description: chance.usually<NodeSource>(["d", ""], [undefined]),
    tools: chance.list(0, 2, () => (chance.isOdd() ? customTool(chance) : functionTool(chance))),
  };
}

function customTool(chance: Chance): NodeSource {
  return {
    type: "custom",
    name: functionName(chance),
    description: chance.maybe(0.5, () => text(chance)),
    format: chance.pick<NodeSource>([
      { type: "text" },
      { type: "grammar", definition: "d", syntax: "lark" },
      chance.usually<NodeSource>([{ type: "text" }], [{ type: "grammar" }, undefined]),
    ]),
  };
}

/** A tool of the API's own, which the frontend refuses whatever it says. */
export function hostedTool(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    { type: "web_search", filters: { allowed_domains: ["e.com"] }, user_location: { city: "Oslo" } },
    { type: "web_search_preview", search_context_size: "low" },
    { type: "file_search", vector_store_ids: ["v"], filters: { type: "eq", key: "k", value: 1 } },
    { type: "computer_use_preview", environment: "linux", display_width: 1, display_height: 1 },
    { type: "mcp", server_label: "s", server_url: "u", require_approval: "never", allowed_tools: ["a"] },
    { type: "code_interpreter", container: { type: "auto" } },
    { type: "code_interpreter", container: "c" },
    { type: "image_generation", size: "auto", quality: "low" },
    { type: "local_shell" },
    { type: "shell", environment: { type: "local" } },
    { type: "apply_patch" },
    { type: "tool_search", execution: "client" },
    { type: "computer" },
    customTool(chance),
    { type: chance.usually(["programmatic_tool_calling"], ["unheard_of"]) },
  ]);
}

export function toolChoice(chance: Chance): NodeSource {
  const named = { type: "function", name: functionName(chance) };
  return chance.oneOf<NodeSource>(
    [5, () => chance.usually<NodeSource>(["none", "auto", "required", null], ["any"])],
    [2, () => ({ type: chance.pick(["auto", "none", "required"]), extra: 1 })],
    [4, () => named],
    [3, () => allowedTools(chance)],
    [chance.odd(1), () => hostedChoice(chance)],
  );
}

function allowedTools(chance: Chance): NodeSource {
  const entry = () =>
    chance.oneOf<NodeSource>(
      [6, () => ({ type: "function", name: functionName(chance), namespace: chance.pick([undefined, "files"]) })],
      [chance.odd(0.3), () => ({ type: "function" })],
      [chance.odd(0.3), () => ({ type: "mcp", server_label: "s" })],
      [chance.odd(0.2), () => "f"],
    );
  return {
    type: "allowed_tools",
    mode: chance.usually(["auto", "auto", "required"], ["none"]),
    tools: chance.list(chance.isOdd() ? 0 : 1, 3, entry),
  };
}

function hostedChoice(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    { type: "web_search_preview" },
    { type: "file_search" },
    { type: "code_interpreter" },
    { type: "mcp", server_label: "s", name: "n" },
    { type: "mcp", server_label: "s" },
    { type: "custom", name: "c" },
    { type: "apply_patch" },
    { type: "shell" },
    { type: "unheard_of" },
  ]);
}
