import type { Chance } from "./chance.ts";
import type { NodeSource } from "./json-node.ts";
import { inputParts, outputParts } from "./responses-content.ts";
import { otherItem } from "./responses-other-items.ts";
import { namespaceName } from "./responses-tools.ts";
import { functionName, text } from "./texts.ts";
import { argumentsText } from "./values.ts";

/** A history of items: mostly turns in the usual order. */
export function items(chance: Chance): readonly NodeSource[] {
  const rounds = chance.list(0, 4, () =>
    chance.oneOf<readonly NodeSource[]>(
      [4, () => [message(chance, "user"), assistantMessage(chance)]],
      [3, () => [message(chance, "user"), ...answerBefore(chance), ...callRound(chance)]],
      [2, () => [reasoning(chance), ...answerBefore(chance), ...callRound(chance)]],
      [1.5, () => [anyItem(chance)]],
      [0.5, () => [message(chance, chance.pick(["system", "developer"]))]],
    ),
  );
  const head = chance.list(0, 2, () => message(chance, chance.pick(["system", "developer"])));
  return [...(chance.is(0.2) ? head : []), ...rounds.flat(), ...(chance.is(0.9) ? [message(chance, "user")] : [])];
}

const phase = (chance: Chance) =>
  chance.maybe(0.05, () => chance.usually<NodeSource>(["commentary", "final_answer", null], ["other"]));

/** In the easy form with text or parts, or typed. */
function message(chance: Chance, role: string): NodeSource {
  return {
    type: chance.maybe(0.5, () => "message"),
    role,
    content: chance.is(0.6) ? text(chance) : inputParts(chance),
    status: chance.maybe(0.05, () => chance.usually(["completed"], ["other"])),
    id: chance.maybe(0.03, () => chance.usually<NodeSource>(["msg_1", null], [1])),
    phase: phase(chance),
  };
}

function assistantMessage(chance: Chance): NodeSource {
  if (chance.is(0.3)) return message(chance, "assistant");
  return {
    type: "message",
    role: "assistant",
    id: chance.maybe(0.7, () => "msg_2"),
    status: chance.maybe(0.7, () => "completed"),
    content: chance.isOdd() ? chance.pick<NodeSource>([null, undefined, text(chance)]) : outputParts(chance),
    phase: phase(chance),
  };
}

/** Some templates refuse calls in a turn without text. */
function answerBefore(chance: Chance): readonly NodeSource[] {
  return chance.is(0.8) ? [{ role: "assistant", content: text(chance) || "x" }] : [];
}

/** Calls and their outputs, at once or in turns; sometimes an output is missing. */
function callRound(chance: Chance): readonly NodeSource[] {
  const calls = chance.list(1, 3, (index) => ({
    type: "function_call",
    call_id: `call_${index}`,
    name: functionName(chance),
    namespace: chance.maybe(0.15, () => chance.pick<NodeSource>([namespaceName(chance), "", null])),
    arguments: argumentsText(chance),
    id: chance.maybe(0.3, () => "fc_1"),
    status: chance.maybe(0.1, () => "completed"),
    async: chance.maybe(0.02, () => true),
  }));
  const outputs = calls.map((_, index) => ({
    type: "function_call_output",
    call_id: `call_${index}`,
    output: chance.is(0.8) ? text(chance) : inputParts(chance),
    id: chance.maybe(0.1, () => "fco_1"),
  }));
  if (chance.is(0.3)) {
    const between = chance.is(0.3) ? [reasoning(chance)] : [];
    return calls.flatMap((call, index) => [call, outputs[index], ...between]);
  }
  if (chance.is(0.2)) return calls.flatMap((call) => [reasoning(chance), call]).concat(outputs);
  return [...calls, ...(chance.is(0.1) ? outputs.slice(1) : outputs)];
}

function reasoning(chance: Chance): NodeSource {
  const summary = () => ({ type: "summary_text", text: text(chance) });
  const thought = () => ({ type: chance.pick(["reasoning_text", "reasoning_text", undefined]), text: text(chance) });
  return {
    type: "reasoning",
    id: chance.maybe(0.7, () => "rs_1"),
    summary: chance.maybe(0.8, () => chance.list(0, 2, summary)),
    content: chance.maybe(0.3, () => (chance.is(0.9) ? chance.list(0, 2, thought) : null)),
    encrypted_content: chance.maybe(0.2, () => chance.pick<NodeSource>(["AAAA", null])),
    status: chance.maybe(0.1, () => chance.pick<NodeSource>(["completed", null])),
  };
}

function anyItem(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [3, () => reasoning(chance)],
    [1, () => ({ type: chance.pick(["item_reference", null, undefined]), id: "msg_0", other: 1 })],
    [1, () => ({ id: "msg_0", role: "user", content: text(chance) })],
    [1.5, () => agentMessage(chance)],
    [6, () => otherItem(chance)],
    [chance.odd(0.5), () => ({ type: "message", role: "tool", content: text(chance) })],
    [chance.odd(0.3), () => ({ type: null, role: "user", content: text(chance) })],
    [chance.odd(0.3), () => ({ type: "unheard_of", text: text(chance) })],
    [chance.odd(0.2), () => text(chance)],
  );
}

function agentMessage(chance: Chance): NodeSource {
  const parts = chance.list(0, 3, () =>
    chance.pick<NodeSource>([
      { type: "input_text", text: text(chance) },
      { type: "encrypted_content", encrypted_content: text(chance) },
    ]),
  );
  return {
    type: "agent_message",
    author: "/root",
    id: chance.maybe(0.2, () => "a"),
    content: chance.pick<NodeSource>([text(chance), parts, parts, undefined, null]),
  };
}
