import type { Chance } from "./chance.ts";
import type { NodeSource } from "./json-node.ts";
import { functionName, text } from "./texts.ts";
import { object, value } from "./values.ts";

export function cacheControl(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [
      { type: "ephemeral" },
      { type: "ephemeral" },
      { type: "ephemeral", ttl: "1h" },
      { type: "other", scope: "x" },
      null,
    ],
    [{}],
  );
}

export function textBlock(chance: Chance): NodeSource {
  return {
    type: "text",
    text: text(chance),
    cache_control: chance.maybe(0.15, () => cacheControl(chance)),
    citations: chance.maybe(0.03, () => chance.pick<NodeSource>([[], [value(chance, 1)], null, "x"])),
  };
}

export function imageBlock(chance: Chance): NodeSource {
  return {
    type: "image",
    source: chance.usually<NodeSource>(
      [
        { type: "base64", media_type: "image/png", data: "AAAA" },
        { type: "base64", media_type: "image/png", data: "AA AA\n" },
      ],
      [
        { type: "url", url: "https://example.com/a.png" },
        { type: "url", media_type: "image/png", data: "" },
        { type: "base64", media_type: "image/png" },
      ],
    ),
  };
}

/** What an assistant says and thinks. */
export function assistantBlocks(chance: Chance): readonly NodeSource[] {
  return chance.list(1, 4, () =>
    chance.oneOf<NodeSource>(
      [6, () => textBlock(chance)],
      [3, () => ({ type: "thinking", thinking: text(chance), signature: "s" })],
      [0.4, () => ({ type: "redacted_thinking", data: "AAAA" })],
      [chance.odd(0.2), () => ({ type: "thinking", thinking: text(chance) })],
      [0.2, () => ({ type: "web_search_tool_result", tool_use_id: "t", content: value(chance, 1) })],
      [chance.odd(0.2), () => ({ type: chance.pick(["document", "search_result", "mcp_tool_use", ""]), source: {} })],
    ),
  );
}

/** A call of a tool. */
export function toolUse(chance: Chance, id: string): NodeSource {
  return {
    type: chance.is(0.95) ? "tool_use" : "server_tool_use",
    id,
    name: functionName(chance),
    input: chance.oneOf<NodeSource>(
      [6, () => object(chance)],
      [1, () => ({})],
      [chance.odd(0.3), () => value(chance)],
      [0.3, () => undefined],
    ),
    cache_control: chance.maybe(0.05, () => cacheControl(chance)),
    caller: chance.maybe(0.03, () => ({ type: "direct" })),
  };
}

/** What a tool gave back. */
export function toolResult(chance: Chance, id: string): NodeSource {
  return {
    type: "tool_result",
    tool_use_id: id,
    content: chance.oneOf<NodeSource>(
      [5, () => text(chance)],
      [2, () => chance.list(0, 2, () => textBlock(chance))],
      [0.5, () => undefined],
      [0.3, () => chance.list(1, 2, () => ({ text: text(chance) }))],
      [0.3, () => [textBlock(chance), imageBlock(chance)]],
      [
        chance.odd(0.5),
        () => [textBlock(chance), { type: chance.pick(["document", "text", "tool_reference"]), tool_name: "n" }],
      ],
      [0.3, () => value(chance, 1)],
    ),
    is_error: chance.maybe(0.1, () => chance.pick<NodeSource>([true, false, null, "yes"])),
  };
}
