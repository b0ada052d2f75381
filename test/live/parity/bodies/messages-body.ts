import { toolCount } from "./agent-tools.ts";
import type { Chance } from "./chance.ts";
import { clientExtras, unsetOptions } from "./client-extras.ts";
import { type JsonNode, type NodeSource, node } from "./json-node.ts";
import { assistantBlocks, cacheControl, imageBlock, textBlock, toolResult, toolUse } from "./messages-blocks.ts";
import { envelope } from "./options.ts";
import { numberNear, someOptions } from "./sampling-options.ts";
import { functionName, sentence, text } from "./texts.ts";
import { object, parameters, value } from "./values.ts";

/** A body for `/v1/messages`, without `model`. */
export function messagesBody(chance: Chance): JsonNode {
  const tools = chance.maybe(0.35, () => chance.list(0, toolCount(chance), () => tool(chance)));
  return node({
    max_tokens: chance.isOdd() ? numberNear(chance, 0, 1_048_576) : chance.pick([5, 1_048_576]),
    system: chance.maybe(0.5, () => (chance.is(0.6) ? systemText(chance) : systemBlocks(chance))),
    messages: conversation(chance),
    tools,
    tool_choice: chance.maybe(tools === undefined ? 0.02 : 0.4, () => toolChoice(chance)),
    thinking: chance.maybe(0.2, () => thinking(chance)),
    stream: chance.maybe(0.4, () => chance.is(0.5)),
    ...someOptions(chance, options(chance)),
    ...clientExtras(chance),
    ...unsetOptions(chance),
    nvext: chance.maybe(0.05, () => envelope(chance)),
  });
}

function options(chance: Chance): Readonly<Record<string, () => NodeSource>> {
  return {
    temperature: () => numberNear(chance, 0, 1, 2),
    top_k: () => numberNear(chance, 1, 2_147_483_648),
    top_p: () => chance.usually([1, 0.5], [0]),
    stop_sequences: () => chance.usually<NodeSource>([["x"], [], null], [[""], Array(33).fill("s") as string[]]),
    metadata: () => object(chance, 0),
    output_config: () => outputConfig(chance),
    cache_control: () => cacheControl(chance),
    service_tier: () => "auto",
    container: () => chance.usually<NodeSource>(["c", null], [{ id: "c" }]),
    context_management: () => value(chance, 1),
    mcp_servers: () => [],
    chat_template_args: () => ({ enable_thinking: false }),
    unknown_member: () => value(chance),
  };
}

function outputConfig(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [
      {},
      null,
      "x",
      { effort: "high" },
      { format: { type: "json_schema", schema: { type: "object" } } },
      { format: null },
    ],
    [{ format: { type: "json_schema", schema: [] } }, { format: { type: "text" } }, { format: [] }],
  );
}

const billingHeader = "x-anthropic-billing-header: cc_version=2.1.63.a43; cc_entrypoint=cli; cch=00000;";

function systemText(chance: Chance): string {
  if (chance.is(0.9)) return text(chance);
  return `${chance.pick(["", " ", "\n", "\ufeff"])}${billingHeader}${chance.pick(["", "\n", "\r\n", " \n\n"])}${text(chance)}`;
}

function systemBlocks(chance: Chance): readonly NodeSource[] {
  const header = chance.maybe(0.2, () => ({ type: "text", text: billingHeader }));
  return [...(header === undefined ? [] : [header]), ...chance.list(0, 3, () => textBlock(chance))];
}

function conversation(chance: Chance): readonly NodeSource[] {
  const turns = chance.list(0, 4, () =>
    chance.oneOf<readonly NodeSource[]>(
      [5, () => [user(chance), { role: "assistant", content: assistantContent(chance) }]],
      [4, () => [user(chance), ...toolRound(chance)]],
      [0.5, () => [{ role: "system", content: chance.is(0.7) ? text(chance) : systemBlocks(chance) }]],
      [chance.odd(0.2), () => [{ role: "tool", content: text(chance) }]],
    ),
  );
  return [...turns.flat(), ...(turns.length > 0 && chance.is(0.1) ? [] : [user(chance)])];
}

function user(chance: Chance): NodeSource {
  const content = chance.oneOf<NodeSource>(
    [5, () => text(chance)],
    [3, () => chance.list(1, 3, () => textBlock(chance))],
    [0.4, () => [imageBlock(chance), textBlock(chance)]],
    [0.1, () => assistantBlocks(chance)],
  );
  return { role: "user", content };
}

function assistantContent(chance: Chance): NodeSource {
  return chance.is(0.4) ? text(chance) : assistantBlocks(chance);
}

/** Calls, with thoughts between them, and their results, with words of the user around them. */
function toolRound(chance: Chance): readonly NodeSource[] {
  const uses = chance.list(1, 3, (index) => toolUse(chance, `toolu_${index}`));
  const results = uses.map((_, index) => toolResult(chance, `toolu_${index}`));
  const words = chance.is(0.8) ? [textBlock(chance)] : [];
  const blocks = uses.flatMap((use) => (chance.is(0.5) ? [...assistantBlocks(chance), use] : [use]));
  const before = chance.is(0.2) ? [textBlock(chance)] : [];
  const after = chance.is(0.4) ? [textBlock(chance)] : [];
  return [
    { role: "assistant", content: [...words, ...blocks, ...(chance.is(0.2) ? assistantBlocks(chance) : [])] },
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
        type: chance.maybe(0.2, () => chance.usually(["custom", "custom", null], [""])),
        strict: chance.maybe(0.1, () => chance.is(0.5)),
        cache_control: chance.maybe(0.1, () => cacheControl(chance)),
      }),
    ],
    [chance.odd(0.4), () => ({ type: "web_search_20250305", name: "web_search" })],
    [chance.odd(0.2), () => ({ name: sentence(chance), input_schema: {} })],
    [chance.odd(0.2), () => ({ name: functionName(chance) })],
  );
}

function toolChoice(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [
      { type: "auto" },
      { type: "auto", disable_parallel_tool_use: chance.usually<NodeSource>([true, null], [1]) },
      { type: "any" },
      { type: "any", name: functionName(chance) },
      { type: "none" },
      { type: "tool", name: functionName(chance) },
      { type: "tool" },
      { type: "tool", name: 3 },
    ],
    [{ type: "other" }, "auto"],
  );
}

function thinking(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [
      { type: "enabled", budget_tokens: 1024 },
      { type: "enabled" },
      { type: "disabled" },
      { type: "adaptive", display: "summarized" },
      { type: "other" },
      null,
    ],
    [{}, true],
  );
}
