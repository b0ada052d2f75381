import type { Chance } from "./chance.ts";
import { type JsonNode, lexeme, type NodeSource, node } from "./json-node.ts";
import { functionName, sentence } from "./texts.ts";

const names = [
  ...[
    "Bash",
    "Read",
    "Write",
    "Edit",
    "MultiEdit",
    "Glob",
    "Grep",
    "WebFetch",
    "TodoWrite",
    "Task",
    "NotebookEdit",
    "exec_command",
    "apply_patch",
  ],
  ...[
    "update_plan",
    "view_image",
    "mcp__github__create_issue",
    "browser_navigate",
    "str_replace_based_edit_tool",
    "computer",
    "sql_query",
    "transfer_to_agent",
  ],
];

/** A name as agents give their tools. */
export function agentToolName(chance: Chance): string {
  return chance.is(0.8) ? chance.pick(names) : functionName(chance);
}

const guides = [
  'Executes a command.\n\nUsage:\n  - `cwd`: where\n  - Don\'t use `cat`; quotes "x y" stay\n\n<example>\nls && echo $? | tee \\"a\\"\n</example>',
  "Reads a file (1-based lines).\r\n* up to 2,000 lines — longer ones are cut…\n\tNever use it on folders!",
  "日本語の説明。检索文件。🔍 Поиск",
  'Returns {"ok": true} or {\'error\': "…"}; see https://example.com/a?b=c&d=%20',
];

/** What an agent tells the model of a tool. */
export function agentDescription(chance: Chance): string {
  return chance.is(0.5) ? chance.pick(guides) : sentence(chance);
}

/** A schema as schema libraries of agents write it. */
export function agentSchema(chance: Chance): JsonNode {
  const count = chance.integer(0, 5);
  const fields = [
    "command",
    "file_path",
    "timeout",
    "old_string",
    "items",
    "options",
    "query",
    "limit",
    "$ref",
    "type",
  ].slice(0, 10);
  const chosen = chance.list(count, count, () => chance.pick(fields));
  const definitions = chance.maybe(0.2, () => ({
    Item: objectSchema(chance, ["id", "note"], 0),
    Kind: { enum: ["a", "b"], type: "string" },
  }));
  const schema = objectSchema(chance, [...new Set(chosen)], 2);
  return node({
    $schema: chance.maybe(0.4, () =>
      chance.pick(["http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"]),
    ),
    title: chance.maybe(0.15, () => "Args"),
    ...schema,
    [chance.pick(["$defs", "definitions"])]: definitions,
  });
}

function objectSchema(chance: Chance, fields: readonly string[], depth: number): Readonly<Record<string, NodeSource>> {
  return {
    ...(chance.is(0.9) ? { type: "object" } : {}),
    ...(chance.is(0.1) ? { description: agentDescription(chance) } : {}),
    properties: Object.fromEntries(fields.map((field) => [field, fieldSchema(chance, depth)])),
    ...(chance.is(0.7) ? { required: fields.filter(() => chance.is(0.6)) } : {}),
    ...(chance.is(0.5) ? { additionalProperties: chance.pick<NodeSource>([false, true, {}, { type: "string" }]) } : {}),
  };
}

function fieldSchema(chance: Chance, depth: number): NodeSource {
  const described = (schema: Readonly<Record<string, NodeSource>>): NodeSource =>
    chance.is(0.7) ? { ...schema, description: agentDescription(chance) } : schema;
  const inner = () => (depth > 0 ? fieldSchema(chance, depth - 1) : { type: "string" });
  return chance.oneOf<NodeSource>(
    [3, () => described({ type: "string", ...stringBounds(chance) })],
    [2, () => described({ type: chance.pick(["number", "integer"]), ...numberBounds(chance) })],
    [1, () => described({ type: "boolean", default: chance.is(0.5) })],
    [1, () => described({ type: ["string", "null"], default: null })],
    [1, () => described({ anyOf: [inner(), { type: "null" }], title: "T" })],
    [0.6, () => described({ oneOf: [{ const: "a" }, { const: 1 }, inner()] })],
    [0.4, () => described({ allOf: [{ $ref: "#/$defs/Item" }] })],
    [0.4, () => ({ $ref: "#/$defs/Kind" })],
    [
      1.5,
      () => described({ type: "array", items: inner(), ...(chance.is(0.3) ? { minItems: 1, uniqueItems: true } : {}) }),
    ],
    [1, () => described({ type: "string", enum: ["a", "b c", 'd"e', "é"] })],
    [depth > 0 ? 1.5 : 0, () => objectSchema(chance, ["path", "value"], depth - 1)],
    [0.3, () => ({ type: "object", additionalProperties: inner(), propertyNames: { pattern: "^[a-z]+$" } })],
    [0.3, () => ({})],
  );
}

function stringBounds(chance: Chance): Readonly<Record<string, NodeSource>> {
  return chance.pick<Readonly<Record<string, NodeSource>>>([
    {},
    {},
    { minLength: 1, maxLength: 4_000 },
    { pattern: "^(?!-)[\\w./-]+$" },
    { format: "uri", examples: ["https://e.com/?a=1&b=<2>"] },
    { default: "" },
    { contentEncoding: "base64" },
  ]);
}

function numberBounds(chance: Chance): Readonly<Record<string, NodeSource>> {
  return chance.pick<Readonly<Record<string, NodeSource>>>([
    {},
    { minimum: 0, maximum: 600_000 },
    { exclusiveMinimum: lexeme("0.0"), multipleOf: lexeme("0.01") },
    { default: lexeme(chance.pick(["1e3", "120000", "-1", "0.10", "1E-2", "9007199254740993"])) },
    { minimum: lexeme("-9007199254740991"), maximum: lexeme("9007199254740991") },
  ]);
}

/** Most tools of a body: an agent has dozens. */
export function toolCount(chance: Chance): number {
  return chance.is(0.06) ? 25 : 3;
}
