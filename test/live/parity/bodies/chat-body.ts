import { toolCount } from "./agent-tools.ts";
import type { Chance } from "./chance.ts";
import { conversation } from "./chat-messages.ts";
import { clientExtras, unsetOptions } from "./client-extras.ts";
import { type JsonNode, type NodeSource, node } from "./json-node.ts";
import { effort, envelope, templateArguments } from "./options.ts";
import { chatOptions, guidedOptions, samplingOptions, someOptions, streaming } from "./sampling-options.ts";
import { functionName, sentence } from "./texts.ts";
import { functionFields } from "./values.ts";

/** A body for `/v1/chat/completions`, without `model`. */
export function chatBody(chance: Chance): JsonNode {
  const tools = chance.maybe(0.35, () =>
    chance.list(chance.isOdd() ? 0 : 1, toolCount(chance), () => chatTool(chance)),
  );
  return node({
    messages: conversation(chance),
    tools,
    tool_choice: chance.maybe(tools === undefined ? 0.03 : 0.4, () => chatToolChoice(chance)),
    parallel_tool_calls: chance.maybe(0.05, () => chance.is(0.5)),
    [chance.pick(["chat_template_args", "chat_template_kwargs"])]: chance.maybe(0.25, () => templateArguments(chance)),
    reasoning_effort: chance.maybe(0.1, () => effort(chance)),
    thinking: chance.maybe(0.1, () => rootThinking(chance)),
    response_format: chance.maybe(0.08, () => responseFormat(chance)),
    ...finalMessage(chance),
    ...streaming(chance),
    ...someOptions(chance, { ...samplingOptions(chance), ...chatOptions(chance) }),
    ...(chance.is(0.08) ? someOptions(chance, guidedOptions(chance)) : {}),
    ...clientExtras(chance),
    ...unsetOptions(chance),
    nvext: chance.maybe(0.1, () => envelope(chance)),
  });
}

function finalMessage(chance: Chance): Readonly<Record<string, NodeSource>> {
  return chance.oneOf<Readonly<Record<string, NodeSource>>>(
    [16, () => ({})],
    [2, () => ({ add_generation_prompt: false, continue_final_message: true })],
    [1, () => ({ add_generation_prompt: chance.is(0.5) })],
    [1, () => ({ continue_final_message: chance.is(0.5) })],
  );
}

export function chatTool(chance: Chance): NodeSource {
  const tool = { type: "function", function: functionFields(chance) };
  return chance.is(0.2) ? { function: tool.function, type: tool.type } : tool;
}

function chatToolChoice(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [
      ...["none", "none", "auto", "required", "required", null],
      { type: "function", function: { name: functionName(chance) } },
      { type: "function", function: { name: functionName(chance), extra: 1 }, extra: 1 },
    ],
    [{ type: "allowed_tools", allowed_tools: { mode: "auto", tools: [] } }, "any"],
  );
}

function rootThinking(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [
      ...[true, false, null],
      ...[{ type: "enabled" }, { type: "enabled", budget_tokens: 1024 }, { type: "disabled" }, { type: "adaptive" }],
    ],
    [{ type: "auto" }, {}, "enabled"],
  );
}

export function responseFormat(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [
      { type: "text" },
      { type: "json_object" },
      { type: "json_schema", json_schema: { name: sentence(chance).slice(0, 8), schema: { type: "object" } } },
      { type: "json_schema", json_schema: { name: "a", schema: {}, strict: true, description: "d" } },
    ],
    [
      { type: "json_schema", json_schema: { name: "", schema: {} } },
      { type: "json_schema", json_schema: { name: "a", schema: null } },
      { type: "json_schema", json_schema: { name: "a" } },
      { type: "other" },
    ],
  );
}
