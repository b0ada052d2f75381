import { type ComposedBody, composeBody } from "../parity/bodies/body.ts";
import { Chance, derivedSeed } from "../parity/bodies/chance.ts";
import { type JsonNode, members, type NodeSource, node } from "../parity/bodies/json-node.ts";
import { someOptions } from "../parity/bodies/sampling-options.ts";
import { functionFields } from "../parity/bodies/values.ts";
import { variableValue } from "./template-variables.ts";

/**
 * A request whose prompt a template makes: the `index`th of a seed. Completions are left out, and chat has more of what templates read.
 * @param variables names that the template reads
 */
export function composeTemplateBody(
  seed: number,
  index: number,
  spoilt: number,
  variables: readonly string[] = [],
): ComposedBody {
  for (let trial = 0; ; trial++) {
    const body = composeBody(seed, index + trial * 1_000_003, spoilt);
    if (body.path === "/v1/completions") continue;
    const chance = new Chance(derivedSeed(seed ^ 0x5eed, index));
    if (body.path !== "/v1/chat/completions" || !chance.is(0.5)) return body;
    return { ...body, tree: withMore(body.tree, chance, variables) };
  }
}

const argumentNames = ["chat_template_args", "chat_template_kwargs"];

function withMore(body: JsonNode, chance: Chance, variables: readonly string[]): JsonNode {
  if (body.kind !== "object") return body;
  const kept = body.members.filter(([name]) => !argumentNames.includes(name));
  const given = node({ ...moreArguments(chance), ...ownArguments(chance, variables) });
  return members([
    ...kept.map(([name, value]) => changed(name, value, chance)),
    ["chat_template_kwargs", given] as const,
  ]);
}

/** Values for variables of the template itself. */
function ownArguments(chance: Chance, variables: readonly string[]): Readonly<Record<string, NodeSource>> {
  if (variables.length === 0) return {};
  const names = chance.list(0, chance.pick([0, 1, 2, 5]), () => chance.pick(variables));
  return Object.fromEntries(names.map((name) => [name, variableValue(chance)]));
}

/** What renderers without templates and the newest templates read. */
function moreArguments(chance: Chance): Readonly<Record<string, NodeSource>> {
  return someOptions(chance, {
    drop_thinking: () => chance.pick<NodeSource>([true, false, false, null, "false"]),
    thinking_effort: () => chance.pick<NodeSource>(["low", "high", "max", "medium", null, 5]),
    reasoning_effort: () =>
      chance.pick<NodeSource>(["low", "high", "max", "medium", "none", "xhigh", null, 5, 100, 101, 7.5]),
    thinking_mode: () => chance.pick<NodeSource>(["chat", "thinking", "enabled", "disabled", "adaptive"]),
    thinking: () => chance.is(0.5),
    enable_thinking: () => chance.is(0.5),
    preserve_thinking: () => chance.is(0.5),
    clear_thinking: () => chance.is(0.5),
    model_identity: () => "You are a model.",
    thinking_budget: () => chance.pick<NodeSource>([-1, 0, 512, 1000]),
    datetime: () => "2026-01-01",
    json_mode: () => chance.is(0.5),
    add_vision_id: () => chance.is(0.5),
    keep_all_reasoning: () => chance.is(0.5),
    truncate_history_thinking: () => chance.is(0.5),
    skip_special_tokens: () => chance.is(0.5),
  });
}

function changed(name: string, value: JsonNode, chance: Chance): readonly [string, JsonNode] {
  if (name !== "messages" || value.kind !== "array" || !chance.is(0.3)) return [name, value];
  const at = chance.integer(0, Math.max(0, value.items.length - 1));
  return [
    name,
    { kind: "array", items: value.items.map((item, place) => (place === at ? oddMessage(item, chance) : item)) },
  ];
}

/** A message with a member or a text that few families know. */
function oddMessage(message: JsonNode, chance: Chance): JsonNode {
  if (message.kind !== "object") return message;
  const [name, value] = chance.pick<readonly [string, NodeSource]>([
    ["partial", chance.is(0.7)],
    ["tools", [{ type: "function", function: functionFields(chance) }]],
    ["tools", []],
    ["role", "developer"],
    ["content", `a${chance.pick(["<｜deepseek_image｜>", "<｜DSML｜tool_calls>"])}b`],
    [
      "content",
      [
        { type: "image_url", image_url: { url: "https://example.com/a.png" } },
        { type: "text", text: "t" },
      ],
    ],
    ["name", 'n"&a'],
  ]);
  return members([...message.members.filter(([key]) => key !== name), [name, node(value)] as const]);
}
