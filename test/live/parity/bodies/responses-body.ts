import { toolCount } from "./agent-tools.ts";
import type { Chance } from "./chance.ts";
import { clientExtras, unsetOptions } from "./client-extras.ts";
import { type JsonNode, type NodeSource, node } from "./json-node.ts";
import { effort, envelope, templateArguments } from "./options.ts";
import { items } from "./responses-items.ts";
import { tool, toolChoice } from "./responses-tools.ts";
import { numberNear, someOptions } from "./sampling-options.ts";
import { sentence, text } from "./texts.ts";
import { object, value } from "./values.ts";

/** A body for `/v1/responses`, without `model`. */
export function responsesBody(chance: Chance): JsonNode {
  const tools = chance.maybe(0.4, () => chance.list(0, toolCount(chance), () => tool(chance)));
  return node({
    input: chance.is(0.25) ? text(chance) : items(chance),
    instructions: chance.maybe(0.4, () => chance.pick<NodeSource>([text(chance), text(chance), "", null])),
    tools,
    tool_choice: chance.maybe(tools === undefined ? 0.03 : 0.4, () => toolChoice(chance)),
    [chance.pick(["chat_template_args", "chat_template_kwargs"])]: chance.maybe(0.15, () => templateArguments(chance)),
    reasoning: chance.maybe(0.15, () => reasoningControl(chance)),
    text: chance.maybe(0.08, () => textFormat(chance)),
    stream: chance.maybe(0.4, () => chance.pick([true, true, false, null])),
    ...someOptions(chance, { ...plainOptions(chance), ...otherOptions(chance) }),
    ...clientExtras(chance),
    ...unsetOptions(chance),
    nvext: chance.maybe(0.1, () => envelope(chance)),
  });
}

function reasoningControl(chance: Chance): NodeSource {
  return {
    effort: chance.maybe(0.9, () => effort(chance)),
    summary: chance.maybe(0.3, () => chance.usually<NodeSource>(["auto", "concise", "detailed", null], ["long"])),
    generate_summary: chance.maybe(0.05, () => "auto"),
    mode: chance.maybe(0.05, () => "m"),
    context: chance.maybe(0.05, () => chance.usually(["auto", "current_turn", "all_turns"], ["other"])),
  };
}

function textFormat(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [
      {},
      { format: { type: "text" }, verbosity: "low" },
      { format: { type: "json_object" }, verbosity: chance.usually<NodeSource>([null], ["huge"]) },
      { format: { type: "json_schema", name: sentence(chance).slice(0, 8), schema: object(chance) } },
      { format: { type: "json_schema", name: "n", schema: {}, strict: true, description: null } },
    ],
    [
      { format: { type: "json_schema", name: "", schema: {} } },
      { format: { type: "json_schema", name: "n" } },
      { format: null },
    ],
  );
}

function plainOptions(chance: Chance): Readonly<Record<string, () => NodeSource>> {
  return {
    store: () => chance.is(0.5),
    temperature: () => numberNear(chance, 0, 2),
    top_p: () => chance.usually([1, 0.5], [0]),
    top_logprobs: () => numberNear(chance, 0, 20, 255),
    [chance.pick(["max_output_tokens", "max_tokens"])]: () => numberNear(chance, 1, 16, 1_048_576),
    parallel_tool_calls: () => chance.is(0.5),
    include: () =>
      chance.usually<NodeSource>(
        [
          ["reasoning.encrypted_content", "message.output_text.logprobs"],
          ["web_search_call.action.sources", "file_search_call.results"],
          [],
          null,
        ],
        [["other"]],
      ),
    metadata: () => chance.usually<NodeSource>([{ a: "b" }, {}, null], [{ a: 1 }]),
    truncation: () => chance.usually(["auto", "disabled"], ["other"]),
    service_tier: () => chance.usually(["auto", "flex"], ["ultrafast", "other"]),
    stream_options: () => chance.pick<NodeSource>([{}, { include_obfuscation: false }, { include_usage: true }, null]),
    thinking_token_budget: () => numberNear(chance, 0, 5),
  };
}

function otherOptions(chance: Chance): Readonly<Record<string, () => NodeSource>> {
  return {
    previous_response_id: () => chance.usually<NodeSource>([null], ["resp_1"]),
    background: () => chance.usually([false, null], [true]),
    conversation: () => chance.usually<NodeSource>(["conv_1", { id: "conv_1" }, null], [{}]),
    prompt: () =>
      chance.usually<NodeSource>([null], [{ id: "p" }, { id: "p", version: "2", variables: value(chance, 1) }]),
    max_tool_calls: () => chance.usually([null], [1]),
    prompt_cache_key: () => "k",
    prompt_cache_retention: () => chance.usually(["24h", "in_memory"], ["in-memory"]),
    safety_identifier: () => "s",
    thinking: () => chance.pick([true, "x"]),
    reasoning_effort: () => "none",
    add_generation_prompt: () => false,
    cache_salt: () => 3,
    user: () => " ",
    messages: () => [],
    unknown_member: () => object(chance, 1),
  };
}
