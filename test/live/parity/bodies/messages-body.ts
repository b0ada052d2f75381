import type { Chance } from "./chance.ts";
import { type JsonNode, type NodeSource, node } from "./json-node.ts";
import { envelope, numberNear, someOptions } from "./options.ts";
import { functionName, sentence, text } from "./texts.ts";
import { object, parameters, value } from "./values.ts";

/** A body for `/v1/messages`, without `model`. */
export function messagesBody(chance: Chance): JsonNode {
  return node({
    max_tokens: chance.is(0.95) ? 5 : numberNear(chance, 0, 1_048_576),
    system: chance.maybe(0.5, () => (chance.is(0.6) ? text(chance) : systemBlocks(chance))),
    messages: conversation(chance),
    tools: chance.maybe(0.35, () => chance.list(0, 3, () => tool(chance))),
    tool_choice: chance.maybe(0.15, () => toolChoice(chance)),
    thinking: chance.maybe(0.2, () => thinking(chance)),
    ...someOptions(chance, {
      stream: () => chance.is(0.5),
      temperature: () => numberNear(chance, 0, 1, 2),
      top_k: () => numberNear(chance, 1),
      top_p: () => chance.pick([1, 0, 0.5]),
      stop_sequences: () => chance.pick<NodeSource>([["x"], [], [""]]),
      metadata: () => object(chance, 0),
      output_config: () =>
        chance.pick<NodeSource>([
          {},
          { effort: "high" },
          { format: { type: "json_schema", schema: { type: "object" } } },
          { format: { type: "text" } },
        ]),
      cache_control: () => ({ type: "ephemeral" }),
      unknown_member: () => value(chance),
    }),
    nvext: chance.maybe(0.05, () => envelope(chance)),
  });
}

const billingHeader = "x-anthropic-billing-header: cc_version=2.1.63.a43; cc_entrypoint=cli; cch=00000;";

function systemBlocks(chance: Chance): readonly NodeSource[] {
  const header = chance.maybe(0.2, () => ({ type: "text", text: billingHeader }));
  return [...(header === undefined ? [] : [header]), ...chance.list(0, 3, () => textBlock(chance))];
}

function textBlock(chance: Chance): NodeSource {
  return { type: "text", text: text(chance), cache_control: chance.maybe(0.15, () => ({ type: "ephemeral" })) };
}

function conversation(chance: Chance): readonly NodeSource[] {
  const turns = chance.list(0, 4, () =>
    chance.oneOf<readonly NodeSource[]>(
      [5, () => [user(chance), { role: "assistant", content: assistantContent(chance) }]],
      [4, () => [user(chance), ...toolRound(chance)]],
      [0.5, () => [{ role: "system", content: text(chance) }]],
    ),
  );
  return [...turns.flat(), ...(chance.is(0.9) ? [user(chance)] : [])];
}

function user(chance: Chance): NodeSource {
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
  const content = chance.oneOf<NodeSource>(
    [5, () => text(chance)],
    [3, () => chance.list(1, 3, () => textBlock(chance))],
    [0.3, () => [image, textBlock(chance)]],
  );
  return { role: "user", content };
}

function assistantContent(chance: Chance): NodeSource {
  if (chance.is(0.4)) return text(chance);
  const thoughts = chance.maybe(0.4, () =>
    chance.is(0.9)
      ? { type: "thinking", thinking: text(chance), signature: "s" }
      : { type: "redacted_thinking", data: "AAAA" },
  );
  return [...(thoughts === undefined ? [] : [thoughts]), ...chance.list(0, 2, () => textBlock(chance))];
}

function toolRound(chance: Chance): readonly NodeSource[] {
  const uses = chance.list(1, 3, (index) => ({
    type: chance.is(0.95) ? "tool_use" : "server_tool_use",
    id: `toolu_${index}`,
    name: functionName(chance),
    input: chance.oneOf<NodeSource>(
      [6, () => object(chance)],
      [1, () => ({})],
      [0.3, () => value(chance)],
      [0.3, () => undefined],
    ),
  }));
  const results = uses.map((_, index) => ({
    type: "tool_result",
    tool_use_id: `toolu_${index}`,
    content: chance.oneOf<NodeSource>(
      [5, () => text(chance)],
      [2, () => chance.list(0, 2, () => textBlock(chance))],
      [0.5, () => undefined],
    ),
    is_error: chance.maybe(0.1, () => chance.is(0.5)),
  }));
  const before = chance.is(0.2) ? [textBlock(chance)] : [];
  const after = chance.is(0.4) ? [textBlock(chance)] : [];
  const prior = assistantContent(chance);
  const blocks = typeof prior === "string" ? [{ type: "text", text: prior }] : (prior as readonly NodeSource[]);
  return [
    { role: "assistant", content: [...blocks, ...uses] },
    { role: "user", content: [...before, ...results, ...after] },
  ];
}

function tool(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [
      10,
      () => ({
        name: functionName(chance),
        description: chance.maybe(0.8, () => text(chance)),
        input_schema: parameters(chance),
        type: chance.maybe(0.2, () => "custom"),
        strict: chance.maybe(0.1, () => chance.is(0.5)),
      }),
    ],
    [0.4, () => ({ type: "web_search_20250305", name: "web_search" })],
    [0.2, () => ({ name: sentence(chance), input_schema: {} })],
  );
}

function toolChoice(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    { type: "auto" },
    { type: "any" },
    { type: "none" },
    { type: "tool", name: functionName(chance) },
    { type: "tool" },
    { type: "other" },
    "auto",
  ]);
}

function thinking(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    { type: "enabled", budget_tokens: 1024 },
    { type: "disabled" },
    { type: "adaptive" },
    { type: "other" },
    {},
    true,
  ]);
}
