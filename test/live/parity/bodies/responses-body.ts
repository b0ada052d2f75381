import type { Chance } from "./chance.ts";
import { type JsonNode, type NodeSource, node } from "./json-node.ts";
import { effort, envelope, numberNear, someOptions, templateArguments } from "./options.ts";
import { functionName, sentence, text } from "./texts.ts";
import { argumentsText, functionFields, object } from "./values.ts";

/** A body for `/v1/responses`, without `model`. */
export function responsesBody(chance: Chance): JsonNode {
  const tools = chance.maybe(0.35, () => chance.list(0, 3, () => tool(chance)));
  return node({
    input: chance.is(0.25) ? text(chance) : items(chance),
    instructions: chance.maybe(0.4, () => chance.pick<NodeSource>([text(chance), text(chance), "", null])),
    tools,
    tool_choice: chance.maybe(tools === undefined ? 0.03 : 0.4, () => toolChoice(chance)),
    [chance.pick(["chat_template_args", "chat_template_kwargs"])]: chance.maybe(0.15, () => templateArguments(chance)),
    reasoning: chance.maybe(0.15, () => ({
      effort: chance.maybe(0.9, () => effort(chance)),
      summary: chance.maybe(0.3, () => "auto"),
    })),
    text: chance.maybe(0.08, () => textFormat(chance)),
    ...someOptions(chance, options(chance)),
    nvext: chance.maybe(0.1, () => envelope(chance)),
  });
}

function items(chance: Chance): readonly NodeSource[] {
  const rounds = chance.list(0, 4, () =>
    chance.oneOf<readonly NodeSource[]>(
      [4, () => [message(chance, "user"), assistantMessage(chance)]],
      [3, () => [message(chance, "user"), ...callRound(chance)]],
      [2, () => [reasoning(chance), ...callRound(chance)]],
      [1, () => [anyItem(chance)]],
      [0.5, () => [message(chance, chance.pick(["system", "developer"]))]],
    ),
  );
  const head = chance.list(0, 2, () => message(chance, chance.pick(["system", "developer"])));
  return [...(chance.is(0.2) ? head : []), ...rounds.flat(), ...(chance.is(0.9) ? [message(chance, "user")] : [])];
}

/** In the easy form with text or parts, or typed. */
function message(chance: Chance, role: string): NodeSource {
  return {
    type: chance.maybe(0.5, () => "message"),
    role,
    content: chance.is(0.6) ? text(chance) : inputParts(chance),
    status: chance.maybe(0.05, () => "completed"),
    id: chance.maybe(0.03, () => "msg_1"),
  };
}

function inputParts(chance: Chance): readonly NodeSource[] {
  return chance.list(0, 3, () =>
    chance.oneOf<NodeSource>(
      [12, () => ({ type: "input_text", text: text(chance) })],
      [
        0.3,
        () => ({
          type: "input_image",
          image_url: "https://example.com/a b.png",
          detail: chance.pick<NodeSource>(["auto", null, undefined]),
        }),
      ],
      [0.2, () => ({ type: "input_image", file_id: "file_1" })],
      [0.2, () => ({ type: "input_file", file_id: "file_1" })],
      [0.2, () => ({ type: "text", text: text(chance) })],
    ),
  );
}

function assistantMessage(chance: Chance): NodeSource {
  if (chance.is(0.3)) return { role: "assistant", content: text(chance) };
  return {
    type: "message",
    role: "assistant",
    id: chance.maybe(0.7, () => "msg_2"),
    status: chance.maybe(0.7, () => "completed"),
    content: chance.list(0, 2, () =>
      chance.oneOf<NodeSource>(
        [
          6,
          () => ({
            type: "output_text",
            text: text(chance),
            annotations: chance.pick<NodeSource>([[], undefined, null]),
          }),
        ],
        [1, () => ({ type: "refusal", refusal: text(chance) })],
      ),
    ),
  };
}

/** Calls and their outputs, at once or in turns; sometimes an output is missing. */
function callRound(chance: Chance): readonly NodeSource[] {
  const calls = chance.list(1, 3, (index) => ({
    type: "function_call",
    call_id: `call_${index}`,
    name: functionName(chance),
    namespace: chance.maybe(0.1, () => chance.pick(["files", "web search"])),
    arguments: argumentsText(chance),
    id: chance.maybe(0.3, () => "fc_1"),
  }));
  const outputs = calls.map((_, index) => ({
    type: "function_call_output",
    call_id: `call_${index}`,
    output: chance.oneOf<NodeSource>(
      [5, () => text(chance)],
      [1, () => chance.list(0, 2, () => ({ type: "input_text", text: text(chance) }))],
    ),
  }));
  if (chance.is(0.3)) return calls.flatMap((call, index) => [call, outputs[index]]);
  return [...calls, ...(chance.is(0.1) ? outputs.slice(1) : outputs)];
}

function reasoning(chance: Chance): NodeSource {
  return {
    type: "reasoning",
    id: chance.maybe(0.7, () => "rs_1"),
    summary: chance.maybe(0.8, () => chance.list(0, 2, () => ({ type: "summary_text", text: text(chance) }))),
    content: chance.maybe(0.3, () => chance.list(0, 2, () => ({ type: "reasoning_text", text: text(chance) }))),
    encrypted_content: chance.maybe(0.2, () => chance.pick<NodeSource>(["AAAA", null])),
  };
}

function anyItem(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [3, () => reasoning(chance)],
    [1, () => ({ type: "item_reference", id: "msg_0" })],
    [1, () => ({ id: "msg_0", role: "user", content: text(chance) })],
    [
      1,
      () => ({
        type: "agent_message",
        content: chance.pick<NodeSource>([text(chance), [{ type: "input_text", text: text(chance) }], undefined]),
      }),
    ],
    [1, () => ({ type: "custom_tool_call", call_id: "c", name: "n", input: text(chance), id: "x" })],
    [1, () => ({ type: "web_search_call", id: "x", status: "completed", action: { type: "search", query: "q" } })],
    [1, () => ({ type: "compaction", encrypted_content: "x" })],
    [0.5, () => ({ type: "message", role: "tool", content: text(chance) })],
    [0.5, () => ({ type: "unheard_of", text: text(chance) })],
  );
}

function tool(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [12, () => ({ type: "function", ...functionFields(chance) })],
    [
      2,
      () => ({
        type: "namespace",
        name: chance.pick(["files", "web search"]),
        description: "d",
        tools: chance.list(0, 2, () => ({ type: "function", ...functionFields(chance) })),
      }),
    ],
    [0.3, () => ({ type: "web_search" })],
    [0.3, () => ({ type: "custom", name: "c", format: { type: "text" } })],
    [0.2, () => ({ type: "function", function: functionFields(chance) })],
  );
}

function toolChoice(chance: Chance): NodeSource {
  const named = { type: "function", name: functionName(chance) };
  return chance.pick<NodeSource>([
    "none",
    "auto",
    "required",
    { type: "auto" },
    { type: "none", extra: 1 },
    named,
    { type: "allowed_tools", mode: chance.pick(["auto", "required"]), tools: [named] },
    { type: "allowed_tools", mode: "auto", tools: [] },
    { type: "web_search_preview" },
    "any",
  ]);
}

function textFormat(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    {},
    { format: { type: "text" }, verbosity: "low" },
    { format: { type: "json_object" } },
    { format: { type: "json_schema", name: sentence(chance).slice(0, 8), schema: object(chance) } },
    { format: { type: "json_schema", name: "n" } },
  ]);
}

function options(chance: Chance): Readonly<Record<string, () => NodeSource>> {
  return {
    stream: () => chance.pick([true, false, null]),
    store: () => chance.is(0.5),
    temperature: () => numberNear(chance, 0, 2),
    top_p: () => chance.pick([1, 0, 0.5]),
    max_output_tokens: () => numberNear(chance, 1, 16),
    parallel_tool_calls: () => chance.is(0.5),
    include: () => chance.pick<NodeSource>([["reasoning.encrypted_content"], ["other"]]),
    metadata: () => chance.pick<NodeSource>([{ a: "b" }, { a: 1 }]),
    previous_response_id: () => "resp_1",
    background: () => chance.is(0.5),
    truncation: () => chance.pick(["auto", "disabled"]),
    thinking: () => true,
    service_tier: () => chance.pick(["auto", "ultrafast"]),
    unknown_member: () => object(chance, 1),
    prompt_cache_key: () => "k",
  };
}
