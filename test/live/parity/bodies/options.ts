import type { Chance } from "./chance.ts";
import { lexeme, type NodeSource } from "./json-node.ts";
import { someOptions } from "./sampling-options.ts";
import { sentence, text } from "./texts.ts";
import { value } from "./values.ts";

/** The extension envelope. */
export function envelope(chance: Chance): Readonly<Record<string, NodeSource>> {
  return someOptions(chance, {
    token_data: () =>
      chance.usually<NodeSource>(
        [null, [], [1, 2, 3], chance.list(1, 40, () => chance.integer(0, 31_999)), [31_999]],
        [[32_000], chance.list(1, 40, () => chance.integer(0, 120_000)), [4_000_000_000], [-1], [lexeme("1.0")]],
      ),
    cache_salt: () => chance.pick<NodeSource>(["s", "", null]),
    annotations: () =>
      chance.usually<NodeSource>([[], ["token_ids"], ["formatted_prompt"], ["request_id"]], ["token_ids"]),
    extra_fields: () =>
      chance.pick<NodeSource>([
        ["timing"],
        ["worker_id"],
        ["completion_token_ids"],
        ["prompt_token_ids"],
        ["stop_reason"],
        ["prompt_logprobs", "engine_data"],
        [],
      ]),
    agent_hints: () => agentHints(chance),
    use_raw_prompt: () => chance.is(0.5),
    greed_sampling: () => chance.pick([true, null]),
    max_thinking_tokens: () => 5,
    request_timestamp_ms: () => chance.usually<NodeSource>([1.5, 1], [lexeme("1e400"), "1"]),
    metadata_upload: () =>
      chance.usually<NodeSource>([{ url: "s3://b/k" }], [{ url: " " }, {}, { url: "x", other: 1 }]),
    routing_constraints: () =>
      chance.usually<NodeSource>(
        [{}, { required_taints: ["gpu=h100"], preferred_taints: { "zone=a": 0.5 } }],
        [{ required_taints: null }, { other: 1 }],
      ),
    router: () => chance.usually<NodeSource>([{}, { ttft_target: 1, itl_target: 0.5 }], [{ other: 1 }]),
    backend_instance_id: () => chance.usually<NodeSource>([null], [5]),
    dp_rank: () => chance.usually<NodeSource>([null], [0]),
    ...(chance.isOdd() ? { unknown_member: () => 1 } : {}),
  });
}

function agentHints(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [{}, { osl: 5 }, { priority: -3, strict_priority: 2 }, { latency_sensitivity: 0.5, speculative_prefill: null }],
    [{ strict_priority: -1 }, { other: 1 }, []],
  );
}

/** Template arguments: the thinking switches in all spellings, variables of templates, and names that the server keeps for itself. */
export function templateArguments(chance: Chance): Readonly<Record<string, NodeSource>> {
  const truth = (): NodeSource =>
    chance.pick<NodeSource>([
      ...[true, false, true, false, 0, 1, lexeme("0.0"), lexeme("-0"), lexeme("2e-9"), null, [], {}],
      ...["true", "off", "Yes", " no ", "maybe", "", " ", "x", "enabled", "ON\u00a0", "disabled"],
    ]);
  return someOptions(chance, {
    enable_thinking: truth,
    thinking: truth,
    thinking_mode: () =>
      chance.pick<NodeSource>([
        ...["enabled", "Disabled", "adaptive", "auto", "on", " off", "", "chat", " enabled"],
        ...[true, false, null, 3, 0, lexeme("0.0"), [], {}],
      ]),
    reasoning_effort: () => chance.pick<NodeSource>(["low", "none", "None", "HIGH", "", 3, null, [], true]),
    ...templateVariables(chance),
  });
}

function templateVariables(chance: Chance): Readonly<Record<string, () => NodeSource>> {
  return {
    date_string: () => sentence(chance),
    tools_in_user_message: () => chance.is(0.5),
    add_generation_prompt: () => chance.is(0.5),
    custom_tools: () => chance.pick<NodeSource>([null, []]),
    builtin_tools: () =>
      chance.pick<NodeSource>([["brave_search"], ["code_interpreter"], ["browser", "python"], "python", null]),
    model_identity: () => text(chance),
    bos_token: () => "<x>",
    eos_token: () => "<y>",
    messages: () => [],
    tools: () => null,
    ...(chance.isOdd()
      ? { chat_template: () => "{{ messages }}", loop: () => value(chance, 0), namespace: () => value(chance, 0) }
      : {}),
    documents: () => [{ title: "T", text: text(chance) }],
    custom: () => value(chance),
  };
}

/** `reasoning_effort` as clients send it; a few are unknown words. */
export function effort(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    ["none", "minimal", "low", "medium", "high", "xhigh", "max", null],
    ["High", "bogus"],
  );
}
