import type { Chance } from "./chance.ts";
import { clientExtras, unsetOptions } from "./client-extras.ts";
import { type JsonNode, lexeme, type NodeSource, node } from "./json-node.ts";
import { envelope } from "./options.ts";
import { numberNear, samplingOptions, someOptions, streaming } from "./sampling-options.ts";
import { text } from "./texts.ts";

/** A body for `/v1/completions`, without `model`. */
export function completionBody(chance: Chance): JsonNode {
  const own = {
    echo: () => chance.is(0.5),
    suffix: () => chance.usually([text(chance), "é".repeat(5_000)], ["é".repeat(5_001)]),
    best_of: () => chance.usually([1, 2, 20], [0, 21]),
    logprobs: () => numberNear(chance, 0, 5),
    add_generation_prompt: () => chance.usually([null], [true, false]),
    continue_final_message: () => chance.usually([null], [false]),
    no_stop_trim: () => true,
    prompt_embeds: () => chance.usually(["A".repeat(136), "A".repeat(135).concat("=")], ["", "AAAA", "A".repeat(137)]),
    ...(chance.isOdd() ? foreign : {}),
  };
  return node({
    prompt: prompt(chance),
    ...streaming(chance),
    ...someOptions(chance, { ...samplingOptions(chance), ...own }),
    ...clientExtras(chance),
    ...unsetOptions(chance),
    nvext: chance.maybe(0.1, () => envelope(chance)),
  });
}

const foreign: Readonly<Record<string, () => NodeSource>> = {
  add_special_tokens: () => true,
  max_completion_tokens: () => 5,
  thinking_token_budget: () => 5,
};

const oddPrompts: readonly NodeSource[] = [
  ...["", null, 3, true, {}],
  ...[[], [""], [[]], [[], [1]], [[1], []], [null], [["a"]]],
  ...[[lexeme("1.0")], [lexeme("-0")], [-1], [4_294_967_296], [4_294_967_295]],
  ...[
    ["a", 1],
    [1, "a"],
    [[1], "a"],
    [[1], 2],
    ["a", ""],
  ],
];

function prompt(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [10, () => nonEmpty(chance)],
    [3, () => chance.list(1, 4, () => nonEmpty(chance))],
    [0.5, () => chance.list(60, 130, () => "a")],
    [2, () => ids(chance)],
    [1, () => chance.list(1, 3, () => ids(chance))],
    [chance.odd(1), () => chance.pick(oddPrompts)],
  );
}

function nonEmpty(chance: Chance): string {
  return chance.usually([text(chance) || "x"], [""]);
}

/** Below the smallest vocabulary, mostly. */
function ids(chance: Chance): readonly NodeSource[] {
  const most = chance.usually([31_999], [400_000]);
  return chance.list(1, 40, () => chance.integer(0, most));
}
