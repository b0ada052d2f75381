import type { Chance } from "./chance.ts";
import { lexeme, type NodeSource } from "./json-node.ts";
import { sentence } from "./texts.ts";

/** Members that client programs, routers and other servers' SDKs add to bodies of any API. */
export function clientExtras(chance: Chance): Readonly<Record<string, NodeSource>> {
  if (chance.is(0.8)) return {};
  const extras: Readonly<Record<string, () => NodeSource>> = {
    ...routers(chance),
    ...engines(chance),
    ...sdks(chance),
  };
  const chosen = chance.list(1, 4, () => chance.pick(Object.keys(extras)));
  return Object.fromEntries(chosen.map((name) => [name, chance.is(0.15) ? null : extras[name]?.()]));
}

type Makers = Readonly<Record<string, () => NodeSource>>;

function routers(chance: Chance): Makers {
  return {
    provider: () => ({ order: ["a"], allow_fallbacks: false }),
    transforms: () => ["middle-out"],
    models: () => ["a", "b"],
    route: () => "fallback",
    usage: () => ({ include: true }),
    plugins: () => [{ id: "web" }],
    litellm_params: () => ({ api_base: "http://h" }),
    drop_params: () => true,
    extra_body: () => ({ top_k: 5 }),
    extra_headers: () => ({ a: "b" }),
    timeout: () => chance.pick([600, lexeme("600.0")]),
    caching: () => false,
    session_id: () => "s",
    trace: () => ({ name: sentence(chance) }),
  };
}

function engines(chance: Chance): Makers {
  return {
    structured_outputs: () => ({ json: { type: "object" } }),
    add_special_tokens: () => chance.is(0.5),
    echo: () => false,
    truncate_prompt_tokens: () => 100,
    priority: () => chance.integer(-2, 2),
    request_id: () => "r",
    kv_transfer_params: () => ({ do_remote_decode: true }),
    include_reasoning: () => true,
    length_penalty: () => lexeme("1.0"),
    use_beam_search: () => false,
    early_stopping: () => false,
    spaces_between_special_tokens: () => true,
    vllm_xargs: () => ({ a: 1 }),
    regex: () => "a+",
    ebnf: () => 'root ::= "x"',
    separate_reasoning: () => true,
    stream_reasoning: () => false,
    lora_path: () => "l",
    rid: () => "r",
    return_hidden_states: () => false,
    enable_thinking: () => chance.is(0.5),
    thinking_budget: () => 512,
    safe_prompt: () => false,
    random_seed: () => 7,
    mirostat: () => 0,
    num_ctx: () => 8192,
    keep_alive: () => "5m",
    options: () => ({ num_predict: 5 }),
  };
}

function sdks(chance: Chance): Makers {
  return {
    verbosity: () => chance.pick(["low", "medium", "high"]),
    safety_identifier: () => "s",
    prompt_cache_key: () => "k",
    prompt_cache_retention: () => "24h",
    prompt_cache_options: () => ({ mode: "implicit" }),
    moderation: () => "auto",
    client_metadata: () => ({ originator: "codex" }),
    betas: () => ["context-management-2025-06-27"],
    anthropic_version: () => "bedrock-2023-05-31",
    anthropic_beta: () => ["x"],
    context_management: () => ({
      edits: [{ type: "clear_tool_uses_20250919", keep: { type: "tool_uses", value: 3 } }],
    }),
    thread: () => chance.pick<NodeSource>([{ type: "create" }, { type: "continue", previous_message_id: "msg_1" }]),
    inference_geo: () => "us",
    container: () => "c",
    mcp_servers: () => [{ type: "url", url: "https://h/mcp", name: "m" }],
    output_format: () => ({ type: "json_schema", schema: { type: "object" } }),
    input: () => null,
    messages: () => null,
    system: () => sentence(chance),
    name: () => "n",
  };
}

/** Options that a client writes out although they are not set. */
const unset = [
  ...[
    "temperature",
    "top_p",
    "top_k",
    "n",
    "stop",
    "stream",
    "stream_options",
    "max_tokens",
    "max_completion_tokens",
    "tools",
    "tool_choice",
  ],
  ...[
    "response_format",
    "seed",
    "user",
    "logprobs",
    "top_logprobs",
    "logit_bias",
    "presence_penalty",
    "frequency_penalty",
    "metadata",
  ],
  ...[
    "parallel_tool_calls",
    "reasoning_effort",
    "reasoning",
    "store",
    "service_tier",
    "modalities",
    "audio",
    "prediction",
    "functions",
  ],
  ...[
    "function_call",
    "instructions",
    "text",
    "truncation",
    "include",
    "previous_response_id",
    "max_output_tokens",
    "system",
    "thinking",
  ],
  ...[
    "stop_sequences",
    "nvext",
    "chat_template_kwargs",
    "suffix",
    "echo",
    "best_of",
    "background",
    "prompt",
    "conversation",
    "cache_control",
  ],
];

/** Members that are null, of which some clients write dozens. */
export function unsetOptions(chance: Chance): Readonly<Record<string, NodeSource>> {
  if (chance.is(0.92)) return {};
  const names = chance.list(1, chance.pick([2, 6, 15]), () => chance.pick(unset));
  return Object.fromEntries(names.map((name) => [name, null]));
}
