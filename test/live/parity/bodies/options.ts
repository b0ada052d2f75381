import type { Chance } from "./chance.ts";
import { type JsonNode, lexeme, type NodeSource } from "./json-node.ts";
import { sentence, text } from "./texts.ts";
import { object, value } from "./values.ts";

/** A few options, each with its maker, in any order. */
export function someOptions(
  chance: Chance,
  makers: Readonly<Record<string, () => NodeSource>>,
): Readonly<Record<string, NodeSource>> {
  const names = Object.keys(makers);
  const chosen = chance.list(0, chance.pick([0, 1, 1, 2, 4]), () => chance.pick(names));
  return Object.fromEntries(chosen.map((name) => [name, makers[name]?.()]));
}

/** Numbers at and around the limits of an option. */
export function numberNear(chance: Chance, ...limits: readonly number[]): JsonNode {
  const limit = chance.pick(limits);
  return lexeme(
    chance.pick([`${limit}`, `${limit}`, `${limit + 1}`, `${limit - 1}`, `${limit}.0`, `${limit + 0.5}`, "null", "0"]),
  );
}

/** Options of chat and completions that do not change the prompt, mostly within their limits. */
export function samplingOptions(chance: Chance): Readonly<Record<string, () => NodeSource>> {
  return {
    temperature: () => numberNear(chance, 0, 1, 2),
    top_p: () => chance.pick([1, 0.5, 0, 1.1, null]),
    top_k: () => numberNear(chance, -1, 20),
    min_p: () => chance.pick([0, 0.1, 1, 1.5]),
    repetition_penalty: () => chance.pick([1, 2, 0, 2.5]),
    frequency_penalty: () => numberNear(chance, -2, 2),
    presence_penalty: () => numberNear(chance, -2, 2),
    max_tokens: () => numberNear(chance, 1, 16, 1_048_576),
    n: () => chance.pick([1, 1, 2, 0, 129]),
    seed: () => numberNear(chance, 7, -7),
    stop: () => chance.pick<NodeSource>(["x", ["a", "b"], [], "", ["a", ""], [1, 2], null]),
    stream: () => chance.pick([true, true, false, null]),
    logit_bias: () => chance.pick<NodeSource>([{}, { 1: 5 }, { x: 1 }, { 1: 101 }, { "+1": 0.5 }]),
    user: () => chance.pick(["u", "", " ", "é"]),
    ignore_eos: () => true,
    min_tokens: () => numberNear(chance, 1),
    skip_special_tokens: () => chance.is(0.5),
    guided_choice: () => chance.pick<NodeSource>([["a"], []]),
    guided_json: () => object(chance, 1),
    stop_token_ids: () => chance.pick<NodeSource>([[1], [], ["a"]]),
    cache_salt: () => chance.pick<NodeSource>(["tenant", "", 3]),
    metadata: () => object(chance, 0),
    return_tokens_as_token_ids: () => true,
  };
}

/** The extension envelope. */
export function envelope(chance: Chance): Readonly<Record<string, NodeSource>> {
  return someOptions(chance, {
    token_data: () =>
      chance.pick<NodeSource>([
        null,
        [],
        [1, 2, 3],
        chance.list(1, 40, () => chance.integer(0, 120_000)),
        [4_000_000_000],
        [-1],
      ]),
    cache_salt: () => chance.pick<NodeSource>(["s", "", null]),
    annotations: () => chance.pick<NodeSource>([[], ["token_ids"], ["formatted_prompt"]]),
    extra_fields: () => chance.pick<NodeSource>([["timing"], ["worker_id"], ["completion_token_ids"]]),
    agent_hints: () =>
      chance.pick<NodeSource>([
        {},
        { osl: 5 },
        { priority: -3, strict_priority: 2 },
        { latency_sensitivity: 0.5 },
        { other: 1 },
      ]),
    use_raw_prompt: () => chance.is(0.5),
    greed_sampling: () => true,
    max_thinking_tokens: () => 5,
    request_timestamp_ms: () => 1.5,
    backend_instance_id: () => chance.pick<NodeSource>([5, null]),
    dp_rank: () => chance.pick<NodeSource>([0, null]),
    unknown_member: () => 1,
  });
}

/** Template arguments: the thinking switches in all spellings, variables of templates, and names that the server keeps for itself. */
export function templateArguments(chance: Chance): Readonly<Record<string, NodeSource>> {
  const truth = (): NodeSource =>
    chance.pick<NodeSource>([true, false, true, false, 0, 1, "true", "off", "Yes", " no ", "maybe", null, []]);
  return someOptions(chance, {
    enable_thinking: truth,
    thinking: truth,
    thinking_mode: () =>
      chance.pick<NodeSource>(["enabled", "Disabled", "adaptive", "auto", "on", true, false, null, 3]),
    reasoning_effort: () => chance.pick<NodeSource>(["low", "none", "HIGH", 3, null]),
    date_string: () => sentence(chance),
    tools_in_user_message: () => chance.is(0.5),
    add_generation_prompt: () => chance.is(0.5),
    custom_tools: () => chance.pick<NodeSource>([null, []]),
    builtin_tools: () => chance.pick<NodeSource>([["brave_search"], ["code_interpreter"], null]),
    bos_token: () => "<x>",
    messages: () => [],
    tools: () => null,
    documents: () => [{ title: "T", text: text(chance) }],
    custom: () => value(chance),
  });
}

/** `reasoning_effort` as clients send it; a few are unknown words. */
export function effort(chance: Chance): NodeSource {
  return chance.pick<NodeSource>(["none", "minimal", "low", "medium", "high", "xhigh", "max", "High", "bogus", null]);
}
