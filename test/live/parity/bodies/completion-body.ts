import type { Chance } from "./chance.ts";
import { type JsonNode, lexeme, type NodeSource, node } from "./json-node.ts";
import { envelope, numberNear, samplingOptions, someOptions } from "./options.ts";
import { text } from "./texts.ts";

/** A body for `/v1/completions`, without `model`. */
export function completionBody(chance: Chance): JsonNode {
  const own = {
    echo: () => chance.is(0.5),
    suffix: () => text(chance),
    best_of: () => chance.pick([0, 1, 2, 21]),
    logprobs: () => numberNear(chance, 0, 5),
    add_special_tokens: () => chance.is(0.5),
    add_generation_prompt: () => true,
  };
  return node({
    prompt: prompt(chance),
    ...someOptions(chance, { ...samplingOptions(chance), ...own }),
    nvext: chance.maybe(0.1, () => envelope(chance)),
  });
}

function prompt(chance: Chance): NodeSource {
  return chance.oneOf<NodeSource>(
    [10, () => text(chance)],
    [3, () => chance.list(1, 4, () => text(chance))],
    [2, () => ids(chance)],
    [1, () => chance.list(1, 3, () => ids(chance))],
    [
      1,
      () =>
        chance.pick<NodeSource>([
          [],
          "",
          [""],
          [[]],
          null,
          3,
          {},
          [lexeme("1.0")],
          ["a", 1],
          [[1], "a"],
          [-1],
          [4_294_967_296],
        ]),
    ],
  );
}

/** Below the smallest vocabulary, mostly. */
function ids(chance: Chance): readonly NodeSource[] {
  const most = chance.is(0.95) ? 31_999 : 400_000;
  return chance.list(1, 40, () => chance.integer(0, most));
}
