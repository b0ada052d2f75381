import type { Chance } from "./chance.ts";
import { type JsonNode, type NodeSource, node } from "./json-node.ts";
import { effort, envelope, samplingOptions, someOptions, templateArguments } from "./options.ts";
import { functionName, sentence, text } from "./texts.ts";
import { argumentsText, functionFields, object, value } from "./values.ts";

/** A body for `/v1/chat/completions`, without `model`. */
export function chatBody(chance: Chance): JsonNode {
  const tools = chance.maybe(0.35, () => chance.list(0, 3, () => chatTool(chance)));
  return node({
    messages: conversation(chance),
    tools,
    tool_choice: chance.maybe(tools === undefined ? 0.03 : 0.4, () => chatToolChoice(chance)),
    parallel_tool_calls: chance.maybe(0.05, () => chance.is(0.5)),
    [chance.pick(["chat_template_args", "chat_template_kwargs"])]: chance.maybe(0.2, () => templateArguments(chance)),
    reasoning_effort: chance.maybe(0.1, () => effort(chance)),
    thinking: chance.maybe(0.1, () => rootThinking(chance)),
    response_format: chance.maybe(0.08, () => responseFormat(chance)),
    ...chance.oneOf<Readonly<Record<string, NodeSource>>>(
      [16, () => ({})],
      [2, () => ({ add_generation_prompt: false, continue_final_message: true })],
      [1, () => ({ add_generation_prompt: chance.is(0.5) })],
      [1, () => ({ continue_final_message: chance.is(0.5) })],
    ),
    ...someOptions(chance, samplingOptions(chance)),
    nvext: chance.maybe(0.1, () => envelope(chance)),
  });
}

/** Mostly turns in the usual order, with rounds of tool calls; sometimes any roles in any order. */
export function conversation(chance: Chance): readonly NodeSource[] {
  if (chance.is(0.15)) return chance.list(0, 4, () => anyMessage(chance));
  const head = chance.maybe(0.5, () => ({
    role: chance.is(0.85) ? "system" : "developer",
    content: textContent(chance),
  }));
  const turns = chance.list(0, 4, () => turn(chance)).flat();
  const last = chance.is(0.12) ? [assistant(chance)] : chance.is(0.1) ? toolRound(chance) : [];
  return [...(head === undefined ? [] : [head]), ...turns, user(chance), ...last];
}

function turn(chance: Chance): readonly NodeSource[] {
  return chance.oneOf<readonly NodeSource[]>(
    [6, () => [user(chance), assistant(chance)]],
    [3, () => [user(chance), ...toolRound(chance), assistant(chance)]],
    [0.5, () => [user(chance), { role: "system", content: textContent(chance) }]],
  );
}

function anyMessage(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [4, () => user(chance)],
    [3, () => assistant(chance)],
    [1, () => ({ role: "system", content: textContent(chance) })],
    [1, () => ({ role: "developer", content: textContent(chance) })],
    [1, () => toolResult(chance, "call_0")],
    [
      0.5,
      () => ({ role: "function", name: functionName(chance), content: chance.pick<NodeSource>([text(chance), null]) }),
    ],
    [0.2, () => ({ role: "robot", content: text(chance) })],
  );
}

function user(chance: Chance): NodeSource {
  const content = chance.oneOf<NodeSource>(
    [8, () => text(chance)],
    [3, () => textParts(chance)],
    [0.4, () => [...textParts(chance), mediaPart(chance)]],
  );
  return {
    role: "user",
    content,
    name: chance.maybe(0.05, () => "bob"),
    extra: chance.maybe(0.03, () => value(chance)),
  };
}

function assistant(chance: Chance): NodeSource {
  const given = {
    role: "assistant",
    content: chance.oneOf<NodeSource>(
      [8, () => text(chance)],
      [2, () => textParts(chance)],
      [0.5, () => null],
      [0.5, () => undefined],
    ),
    [chance.pick(["reasoning_content", "reasoning"])]: chance.maybe(0.2, () =>
      chance.oneOf<NodeSource>(
        [3, () => text(chance)],
        [2, () => chance.list(0, 3, () => text(chance))],
        [0.3, () => null],
      ),
    ),
    refusal: chance.maybe(0.03, () => text(chance)),
    tool_calls: chance.maybe(0.05, () => calls(chance)),
  };
  return chance.is(0.1) ? Object.fromEntries(Object.entries(given).toReversed()) : given;
}

function toolRound(chance: Chance): readonly NodeSource[] {
  const made = calls(chance);
  return [
    {
      role: "assistant",
      content: chance.oneOf<NodeSource>(
        [3, () => null],
        [2, () => ""],
        [2, () => text(chance)],
        [2, () => undefined],
        [0.5, () => textParts(chance)],
      ),
      reasoning_content: chance.maybe(0.25, () =>
        chance.oneOf<NodeSource>(
          [2, () => text(chance)],
          [2, () => made.map(() => text(chance))],
          [1, () => [...made, 0].map(() => text(chance))],
        ),
      ),
      tool_calls: made,
    },
    ...made.map((_, index) => toolResult(chance, `call_${index}`)),
  ];
}

function calls(chance: Chance): readonly NodeSource[] {
  return chance.list(1, 3, (index) => ({
    id: `call_${index}`,
    type: chance.is(0.9) ? "function" : undefined,
    function: {
      name: functionName(chance),
      arguments: chance.oneOf<NodeSource>([8, () => argumentsText(chance)], [1, () => object(chance)]),
    },
  }));
}

function toolResult(chance: Chance, id: string): NodeSource {
  return {
    role: "tool",
    tool_call_id: id,
    content: chance.oneOf<NodeSource>(
      [5, () => text(chance)],
      [1, () => textParts(chance)],
      [1, () => argumentsText(chance)],
    ),
  };
}

function textContent(chance: Chance): NodeSource {
  return chance.is(0.8) ? text(chance) : textParts(chance);
}

function textParts(chance: Chance): readonly NodeSource[] {
  return chance.list(0, 3, () => ({
    type: "text",
    text: text(chance),
    cache_control: chance.maybe(0.1, () => ({ type: "ephemeral" })),
  }));
}

function mediaPart(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    { type: "image_url", image_url: { url: "https://example.com/a b.png", detail: "low" } },
    { type: "image_url", image_url: { url: "not an address" } },
    { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
    { type: "file", file: { file_id: "f" } },
  ]);
}

export function chatTool(chance: Chance): NodeSource {
  const tool = { type: "function", function: functionFields(chance) };
  return chance.is(0.2) ? { function: tool.function, type: tool.type } : tool;
}

function chatToolChoice(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    "none",
    "none",
    "auto",
    "required",
    null,
    { type: "function", function: { name: functionName(chance) } },
    "any",
  ]);
}

function rootThinking(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    true,
    false,
    null,
    { type: "enabled" },
    { type: "disabled" },
    { type: "adaptive" },
    { type: "auto" },
    {},
    "enabled",
  ]);
}

export function responseFormat(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    { type: "text" },
    { type: "json_object" },
    { type: "json_schema", json_schema: { name: sentence(chance).slice(0, 8), schema: { type: "object" } } },
    { type: "json_schema", json_schema: { name: "", schema: {} } },
    { type: "other" },
  ]);
}
