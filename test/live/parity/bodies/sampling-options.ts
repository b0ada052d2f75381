import type { Chance } from "./chance.ts";
import { type JsonNode, lexeme, type NodeSource } from "./json-node.ts";
import { sentence, text } from "./texts.ts";
import { object, value } from "./values.ts";

type Makers = Readonly<Record<string, () => NodeSource>>;

/** A few options, each with its maker, in any order. */
export function someOptions(chance: Chance, makers: Makers): Readonly<Record<string, NodeSource>> {
  const names = Object.keys(makers);
  const chosen = chance.list(0, chance.pick([0, 1, 1, 2, 4]), () => chance.pick(names));
  return Object.fromEntries(chosen.map((name) => [name, makers[name]?.()]));
}

/** Numbers at and around the limits of an option, in several spellings. */
export function numberNear(chance: Chance, ...limits: readonly number[]): JsonNode {
  const limit = chance.pick(limits);
  const odd = [
    `${limit + 1}`,
    `${limit - 1}`,
    "0",
    "-0",
    `${limit}.0`,
    `${limit + 0.5}`,
    `${limit}e0`,
    `${limit}.00000001`,
  ];
  return lexeme(chance.usually([`${limit}`, `${limit}`, "null"], odd));
}

/** Whether the answer is to be streamed, and what goes with it. */
export function streaming(chance: Chance): Readonly<Record<string, NodeSource>> {
  if (chance.is(0.5)) return {};
  const stream = chance.pick([true, true, false, null]);
  return {
    stream,
    stream_options: chance.maybe(stream === true ? 0.4 : 0.02, () =>
      chance.pick<NodeSource>([
        {},
        null,
        { include_usage: true },
        { include_usage: null, continuous_usage_stats: true, other: 1 },
      ]),
    ),
  };
}

/** Options of chat and completions that do not change the prompt, mostly within their limits. */
export function samplingOptions(chance: Chance): Makers {
  return {
    temperature: () => numberNear(chance, 0, 1, 2),
    top_p: () => chance.usually<NodeSource>([1, 0.5, null, lexeme("1e-9")], [0, 1.1, lexeme("1e-50")]),
    top_k: () => numberNear(chance, -1, 20, 2_147_483_647),
    min_p: () => chance.usually([0, 0.1, 1], [1.5, -0.1]),
    repetition_penalty: () => chance.usually([1, 2], [0, 2.5]),
    frequency_penalty: () => numberNear(chance, -2, 2),
    presence_penalty: () => numberNear(chance, -2, 2),
    max_tokens: () => numberNear(chance, 1, 16, 1_048_576),
    n: () => chance.usually([1, 1, 2, 128], [0, 129, 256]),
    seed: () => numberNear(chance, 7, -7),
    stop: () => stop(chance),
    logit_bias: () =>
      chance.usually<NodeSource>(
        [{}, { 1: 5 }, { "+1": 0.5 }, { 4294967295: -100 }],
        [{ x: 1 }, { 1: 101 }, { "-1": 0 }, { 4294967296: 1 }, { " 1": 1 }, { 1: "5" }],
      ),
    user: () => chance.usually(["u", "é", "\u200b"], ["", " ", "\u0085"]),
    metadata: () => object(chance, 0),
    cache_salt: () => chance.usually<NodeSource>(["tenant", "", null], [3]),
    ...engineOptions(chance),
    ...tokenLists(chance),
  };
}

function stop(chance: Chance): NodeSource {
  const many = (count: number) => Array.from({ length: count }, (_, index) => `s${index}`);
  return chance.usually<NodeSource>(
    ["x", ["a", "b"], [1, 2], null, many(32)],
    [[], "", ["a", ""], [-1], ["a", 1], many(33)],
  );
}

function engineOptions(chance: Chance): Makers {
  return {
    ignore_eos: () => chance.pick([true, null]),
    min_tokens: () => numberNear(chance, 1),
    skip_special_tokens: () => chance.is(0.5),
    include_stop_str_in_output: () => chance.is(0.5),
    prompt_logprobs: () => numberNear(chance, 0, 4_294_967_295),
    return_tokens_as_token_ids: () => true,
    detokenize: () => chance.usually<NodeSource>([true, null], [1]),
    guided_decoding_backend: () => "xgrammar",
    guided_whitespace_pattern: () => "[ ]?",
    ...guidedOptions(chance),
  };
}

/** What a model's answer must look like. */
export function guidedOptions(chance: Chance): Makers {
  const nested = (depth: number) => `${"(".repeat(depth)}a${")".repeat(depth)}`;
  return {
    guided_choice: () => chance.usually<NodeSource>([["a"], ["a", "b"], []], [[1]]),
    guided_json: () => chance.pick<NodeSource>([object(chance, 1), null, "text"]),
    guided_regex: () => chance.pick<NodeSource>(["a+", "", null]),
    guided_grammar: () => chance.usually([`root ::= "x"`, nested(500), ")))((("], [nested(501)]),
  };
}

function tokenLists(chance: Chance): Makers {
  const ids = (): NodeSource =>
    chance.usually<NodeSource>([[1], [], null], [["a"], [-1], Array(33).fill(1) as number[]]);
  return {
    stop_token_ids: ids,
    allowed_token_ids: ids,
    logprob_token_ids: ids,
    bad_words_token_ids: () => chance.usually<NodeSource>([[[1, 2], []], null], [[1], [[-1]]]),
  };
}

/** Options that only chat has. */
export function chatOptions(chance: Chance): Makers {
  return {
    max_completion_tokens: () => numberNear(chance, 1, 16, 1_048_576),
    logprobs: () => chance.is(0.5),
    top_logprobs: () => numberNear(chance, 0, 20, 255),
    store: () => chance.is(0.5),
    service_tier: () => chance.usually(["auto", "default", "flex", "scale", "priority", "fast"], ["ultrafast", "Auto"]),
    modalities: () => chance.usually<NodeSource>([["text"], ["text", "audio"], []], [["video"]]),
    prediction: () =>
      chance.usually<NodeSource>(
        [
          { type: "content", content: text(chance) },
          { type: "content", content: [{ type: "text", text: text(chance) }] },
        ],
        [{ type: "content" }, { type: "other", content: "" }],
      ),
    audio: () =>
      chance.usually<NodeSource>(
        [
          { voice: "alloy", format: "wav" },
          { voice: "mine", format: "mp3" },
        ],
        [{ voice: "alloy" }, { voice: { id: "v" }, format: "pcm16" }],
      ),
    web_search_options: () =>
      chance.usually<NodeSource>(
        [
          {},
          { search_context_size: "high" },
          { user_location: { type: "approximate", approximate: { city: "Oslo" } } },
        ],
        [{ search_context_size: "huge" }],
      ),
    prompt_cache_key: () => sentence(chance),
    mm_processor_kwargs: () => value(chance, 1),
    media_io_kwargs: () => value(chance, 1),
    thinking_token_budget: () => numberNear(chance, 0, 4_294_967_295),
    function_call: () => chance.usually<NodeSource>([null], ["none", "auto", { name: "f" }, "any"]),
    functions: () => chance.usually<NodeSource>([null], [[], [{ name: "f", parameters: {} }], [{ name: "f" }]]),
    ...(chance.isOdd() ? { chat_template: () => "{{ messages }}", documents: () => [{ title: "T" }] } : {}),
  };
}
