import { Chance } from "./chance.ts";
import { assistantParts, mediaPart, textContent, textParts } from "./chat-content.ts";
import type { NodeSource } from "./json-node.ts";
import { functionName, text } from "./texts.ts";
import { argumentsText, functionFields, object, value } from "./values.ts";

/** Mostly turns in the usual order, with rounds of tool calls; sometimes any roles in any order, or a story so far. */
export function conversation(chance: Chance): readonly NodeSource[] {
  if (chance.is(0.12)) return storySoFar(chance);
  if (chance.is(0.15)) return chance.list(chance.isOdd() ? 0 : 1, 5, () => anyMessage(chance));
  const head = chance.maybe(0.5, () => ({
    role: chance.is(0.85) ? "system" : "developer",
    content: textContent(chance),
    name: chance.maybe(0.03, () => "setup"),
  }));
  const turns = chance.list(0, 4, () => turn(chance)).flat();
  const last = chance.is(0.12) ? [assistant(chance)] : chance.is(0.1) ? toolRound(chance) : [];
  return [...(head === undefined ? [] : [head]), ...turns, user(chance), ...last];
}

const stories = 6;

/** The beginning of one of a few long conversations: what a cache of earlier turns knows most of. */
function storySoFar(chance: Chance): readonly NodeSource[] {
  const teller = new Chance(chance.integer(1, stories), 0);
  const story = [
    { role: "system", content: text(teller) },
    ...teller
      .list(12, 12, () => [user(teller), ...(teller.is(0.3) ? toolRound(teller) : []), assistant(teller)])
      .flat(),
  ];
  return [...story.slice(0, chance.integer(0, story.length)), user(chance)];
}

function turn(chance: Chance): readonly NodeSource[] {
  return chance.oneOf<readonly NodeSource[]>(
    [6, () => [user(chance), assistant(chance)]],
    [3, () => [user(chance), ...toolRound(chance), assistant(chance)]],
    [0.5, () => [user(chance), { role: "system", content: textContent(chance) }]],
    [0.3, () => [user(chance), user(chance)]],
  );
}

function anyMessage(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [4, () => user(chance)],
    [3, () => assistant(chance)],
    [1, () => ({ role: "system", content: textContent(chance) })],
    [chance.odd(0.3), () => declaring(chance)],
    [1, () => ({ role: "developer", content: textContent(chance) })],
    [1, () => toolResult(chance, "call_0")],
    [0.5, () => ({ role: "function", name: functionName(chance), content: chance.pick([text(chance), null]) })],
    [chance.odd(0.2), () => ({ role: "robot", content: text(chance) })],
    [chance.odd(0.2), () => ({ role: "User", content: text(chance) })],
  );
}

/** A system message that declares tools, as Kimi's clients send it: the API's form, or the bare function. */
function declaring(chance: Chance): NodeSource {
  return {
    role: "system",
    content: chance.maybe(0.3, () => text(chance)),
    tools: chance.pick<NodeSource>([
      [],
      null,
      [functionFields(chance)],
      [{ type: "function", function: functionFields(chance) }],
      [{ function: functionFields(chance) }],
    ]),
  };
}

function user(chance: Chance): NodeSource {
  const content = chance.oneOf<NodeSource>(
    [8, () => text(chance)],
    [3, () => textParts(chance)],
    [0.4, () => [...textParts(chance), mediaPart(chance)]],
    [0.2, () => [mediaPart(chance), mediaPart(chance), ...textParts(chance)]],
  );
  return {
    role: "user",
    content,
    name: chance.maybe(0.05, () => "bob"),
    extra: chance.maybe(0.03, () => value(chance)),
    tools: chance.maybe(0.02, () => chance.usually<NodeSource>([null], [[]])),
    partial: chance.maybe(0.02, () => chance.usually<NodeSource>([null], [true, false])),
  };
}

function assistant(chance: Chance): NodeSource {
  const given = {
    role: "assistant",
    content: chance.oneOf<NodeSource>(
      [8, () => text(chance)],
      [2, () => assistantParts(chance)],
      [chance.odd(0.5), () => null],
      [chance.odd(0.5), () => undefined],
    ),
    [chance.pick(["reasoning_content", "reasoning_content", "reasoning"])]: chance.maybe(0.25, () => reasoning(chance)),
    refusal: chance.maybe(0.03, () => text(chance)),
    name: chance.maybe(0.03, () => "bot"),
    audio: chance.maybe(0.02, () => chance.usually<NodeSource>([{ id: "a" }, null], [{}])),
    tool_calls: chance.maybe(0.05, () => chance.pick<NodeSource>([calls(chance), calls(chance), [], null])),
    function_call: chance.maybe(0.02, () => ({ name: functionName(chance), arguments: argumentsText(chance) })),
    partial: chance.maybe(0.02, () => chance.usually<NodeSource>([false, null], [true])),
    ...(chance.is(0.06) ? dumped(chance) : {}),
  };
  return chance.is(0.1) ? Object.fromEntries(Object.entries(given).toReversed()) : given;
}

/** Members that SDKs write when a history is made of the objects of earlier answers. */
function dumped(chance: Chance): Readonly<Record<string, NodeSource>> {
  return chance.pick<Readonly<Record<string, NodeSource>>>([
    { refusal: null, annotations: [], audio: null, function_call: null, tool_calls: null },
    { reasoning: null, reasoning_details: [{ type: "reasoning.text", text: "x" }], provider_specific_fields: null },
    { thinking_blocks: [{ type: "thinking", thinking: "x", signature: "s" }], prefix: true },
    { id: "chatcmpl-1", created_at: 1, finish_reason: "stop", index: 0 },
    { function_call: null, name: null, cache_control: { type: "ephemeral" } },
  ]);
}

function reasoning(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [3, () => text(chance)],
    [2, () => chance.list(0, 3, () => text(chance))],
    [0.3, () => null],
    [chance.odd(0.3), () => [{ text: "x" }]],
  );
}

function toolRound(chance: Chance): readonly NodeSource[] {
  const made = calls(chance);
  return [
    {
      role: "assistant",
      content: chance.oneOf<NodeSource>(
        [0.5, () => null],
        [3, () => ""],
        [3, () => text(chance)],
        [0.5, () => undefined],
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
    index: chance.maybe(0.05, () => index),
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
      [0.15, () => [...textParts(chance), mediaPart(chance)]],
    ),
    name: chance.maybe(0.1, () => functionName(chance)),
  };
}
