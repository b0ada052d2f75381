import type { Chance } from "./chance.ts";
import { type JsonNode, lexeme, members, node, write } from "./json-node.ts";
import { knownName } from "./known-members.ts";
import { stranger } from "./strangers.ts";

/** The tree with one place changed: a member dropped, renamed, repeated, added, replaced, wrapped, or put elsewhere. */
export function mutated(root: JsonNode, chance: Chance): JsonNode {
  const places = valuesIn(root);
  return changeAt(root, chance.integer(0, places.length - 1), (value) => changed(value, places, chance));
}

/** Values in the tree, the root first, each before what it holds. */
function valuesIn(value: JsonNode): readonly JsonNode[] {
  if (value.kind === "object") return [value, ...value.members.flatMap(([, member]) => valuesIn(member))];
  return value.kind === "array" ? [value, ...value.items.flatMap(valuesIn)] : [value];
}

/** Changes the value that stands at a place of {@link valuesIn}. */
function changeAt(value: JsonNode, place: number, change: (value: JsonNode) => JsonNode): JsonNode {
  if (place === 0) return change(value);
  let before = 1;
  const step = (child: JsonNode): JsonNode => {
    const at = place - before;
    const places = valuesIn(child).length;
    before += places;
    return at >= 0 && at < places ? changeAt(child, at, change) : child;
  };
  if (value.kind === "object") return members(value.members.map(([key, member]) => [key, step(member)] as const));
  return value.kind === "array" ? { kind: "array", items: value.items.map(step) } : value;
}

function changed(value: JsonNode, others: readonly JsonNode[], chance: Chance): JsonNode {
  return chance.oneOf<JsonNode>(
    [6, () => changedWithin(value, others, chance)],
    [1, () => wrapped(value, chance)],
    [1, () => chance.pick(others)],
  );
}

/** The value in other clothes: in a list or an object, as text, or without its own. */
function wrapped(value: JsonNode, chance: Chance): JsonNode {
  return chance.oneOf<JsonNode>(
    [1, () => ({ kind: "array", items: [value] })],
    [1, () => members([[chance.pick(["text", "content", "value", "type", "function"]), value]])],
    [1, () => node(write(value))],
    [
      1,
      () => (value.kind === "text" ? lexeme(value.text) : value.kind === "array" ? (value.items[0] ?? value) : value),
    ],
    [0.5, () => ({ kind: "array", items: [value, value] })],
  );
}

function changedWithin(value: JsonNode, others: readonly JsonNode[], chance: Chance): JsonNode {
  if (value.kind === "array") {
    const at = chance.integer(0, value.items.length);
    const keep = chance.is(0.5) ? at : at + 1;
    const put = chance.is(0.7) ? stranger(chance) : chance.pick(others);
    return { kind: "array", items: [...value.items.slice(0, at), put, ...value.items.slice(keep)] };
  }
  if (value.kind !== "object" || value.members.length === 0) return stranger(chance);
  return changedObject(value.members, others, chance);
}

type Members = readonly (readonly [key: string, value: JsonNode])[];

function changedObject(all: Members, others: readonly JsonNode[], chance: Chance): JsonNode {
  const entry = chance.pick(all);
  const [key, member] = entry;
  const rest = all.filter((one) => one !== entry);
  const inPlace = (put: readonly [string, JsonNode]) => members(all.map((one) => (one === entry ? put : one)));
  return chance.oneOf<JsonNode>(
    [2, () => members(rest)],
    [3, () => inPlace([key, stranger(chance)])],
    [1, () => inPlace([key, chance.pick(others)])],
    [2, () => members([...all, [key, chance.is(0.5) ? member : stranger(chance)]])],
    [1, () => members([...rest, [otherName(key, chance), member]])],
    [0.7, () => members([...all, [otherName(key, chance), chance.is(0.5) ? member : stranger(chance)]])],
    [0.7, () => members([["unheard_of", stranger(chance)], ...all])],
    [2, () => members([...all, [knownName(chance), chance.is(0.5) ? stranger(chance) : chance.pick(others)]])],
    [1, () => members(all.toReversed())],
  );
}

/** Names that mean the same to the frontend, or that clients mix up. */
const related = new Map<string, readonly string[]>(
  Object.entries({
    chat_template_args: ["chat_template_kwargs"],
    chat_template_kwargs: ["chat_template_args"],
    max_tokens: ["max_output_tokens", "max_completion_tokens"],
    max_output_tokens: ["max_tokens"],
    reasoning_content: ["reasoning"],
    reasoning: ["reasoning_content", "reasoning_effort"],
    messages: ["input", "prompt"],
    input: ["messages", "prompt"],
    prompt: ["messages", "input"],
    content: ["text", "output"],
    text: ["content", "input_text"],
    parameters: ["input_schema"],
    input_schema: ["parameters"],
    tool_calls: ["function_call"],
    arguments: ["input"],
  }),
);

function otherName(key: string, chance: Chance): string {
  const names = related.get(key);
  return names !== undefined && chance.is(0.7)
    ? chance.pick(names)
    : chance.pick([key.toUpperCase(), `${key} `, `_${key}`]);
}
