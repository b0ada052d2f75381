import type { Chance } from "./chance.ts";
import type { NodeSource } from "./json-node.ts";
import { text } from "./texts.ts";

/** Parts of what a client, or a tool, says. */
export function inputParts(chance: Chance): readonly NodeSource[] {
  return chance.list(chance.isOdd() ? 0 : 1, 3, () =>
    chance.oneOf<NodeSource>(
      [12, () => inputText(chance)],
      [0.5, () => inputImage(chance)],
      [chance.odd(1), () => inputFile(chance)],
      [chance.odd(0.5), () => ({ type: "text", text: text(chance) })],
    ),
  );
}

function inputText(chance: Chance): NodeSource {
  return {
    type: "input_text",
    text: text(chance),
    prompt_cache_breakpoint: chance.maybe(0.03, () => chance.usually<NodeSource>([{ mode: "explicit" }, null], [{}])),
  };
}

function inputImage(chance: Chance): NodeSource {
  return chance.usually<NodeSource>(
    [
      { type: "input_image", image_url: "https://example.com/a b.png", detail: "auto" },
      { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: null, file_id: "f" },
      { type: "input_image", image_url: "https://example.com", detail: "original" },
    ],
    [
      { type: "input_image", image_url: "no address" },
      { type: "input_image", file_id: "file_1" },
      { type: "input_image", file_id: " " },
      { type: "input_image" },
    ],
  );
}

function inputFile(chance: Chance): NodeSource {
  return chance.pick<NodeSource>([
    { type: "input_file", file_id: "file_1" },
    { type: "input_file", file_data: "AAAA", filename: "a.txt" },
    { type: "input_file", file_url: "https://example.com/a" },
    { type: "input_file", file_url: "no address" },
    { type: "input_file", file_id: "" },
    { type: "input_file", file_id: "a", file_url: "b" },
    { type: "input_file", detail: "low" },
  ]);
}

/** Parts of an answer that the model gave. */
export function outputParts(chance: Chance): readonly NodeSource[] {
  return chance.list(0, 2, () =>
    chance.oneOf<NodeSource>(
      [
        6,
        () => ({
          type: "output_text",
          text: text(chance),
          annotations: annotations(chance),
          logprobs: chance.maybe(0.05, () => logprobs(chance)),
        }),
      ],
      [1, () => ({ type: "refusal", refusal: text(chance) })],
      [chance.odd(0.5), () => ({ type: "input_text", text: text(chance) })],
    ),
  );
}

function annotations(chance: Chance): NodeSource {
  if (chance.is(0.9)) return chance.pick<NodeSource>([[], undefined, null]);
  return [
    chance.usually<NodeSource>(
      [
        { type: "file_citation", file_id: "f", filename: "a", index: 0 },
        { type: "url_citation", url: "u", title: "t", start_index: 0, end_index: 1 },
        {
          type: "container_file_citation",
          container_id: "c",
          file_id: "f",
          filename: "a",
          start_index: 0,
          end_index: 1,
        },
        { type: "file_path", file_id: "f", index: 0 },
      ],
      [{ type: "url_citation", url: "u" }, { type: "other" }],
    ),
  ];
}

function logprobs(chance: Chance): NodeSource {
  const token = { token: "a", logprob: -0.5, bytes: [97] };
  return chance.usually<NodeSource>([null, [], [{ ...token, top_logprobs: [token] }]], [[token]]);
}
