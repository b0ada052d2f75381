import { describe, expect, it } from "vitest";
import { CacheBudget, loadTokenizer, type Tokenizer } from "../../../src/tokenizer/index.ts";
import { NativeTokenizer } from "../../../src/tokenizer/native-tokenizer.ts";
import { corpusTexts } from "./corpus.ts";
import { Random } from "./random.ts";
import { addedToken, byteModel, characterModel, patterns, type TokenizerJson } from "./small-models.ts";

const addedTokens = ["<|x|>", "<think>", "<s>"];
const prepends = {
  type: "Sequence",
  normalizers: [
    { type: "Prepend", prepend: "▁" },
    { type: "Replace", pattern: { String: " " }, content: "▁" },
  ],
};

interface Engines {
  readonly ours: Tokenizer;
  readonly official: NativeTokenizer;
}

async function load(model: TokenizerJson, cache?: CacheBudget): Promise<Engines> {
  const json = JSON.stringify(model);
  const ours = await loadTokenizer(Buffer.from(json), undefined, cache === undefined ? {} : { cache });
  return { ours, official: new NativeTokenizer(json) };
}

/** Asks for the ids and decimals of `pieces` and compares both with the official engine's. */
async function expectOfficial({ ours, official }: Engines, pieces: readonly string[], addSpecialTokens: boolean) {
  const expected = (await official.encode(pieces.join(""), { addSpecialTokens })).join(",");
  const prompt = await ours.encodePieces(pieces, { addSpecialTokens });
  expect(prompt.ids.join(",")).toBe(expected);
  // Not always, so that a prompt is also continued whose decimals nobody asked for.
  if (pieces.length % 3 !== 0) expect(Buffer.concat(prompt.decimals()).toString().slice(1)).toBe(expected);
}

describe.each<[string, TokenizerJson, number | undefined]>([
  ["a byte-level model", byteModel(patterns.qwen3), undefined],
  ["a model with a BOS", byteModel(patterns.qwen3, { post_processor: bos() }), undefined],
  ["a model that prefixes each piece", characterModel({ normalizer: prepends, post_processor: bos() }), undefined],
  [
    "a model that prefixes the text",
    characterModel({
      pre_tokenizer: { type: "Metaspace", replacement: "▁", prepend_scheme: "first", split: false },
      added_tokens: [addedToken("<s>")],
    }),
    undefined,
  ],
  ["a cache that is always full", byteModel(patterns.qwen3), 20_000],
  ["no cache", byteModel(patterns.qwen3), 0],
])("conversations in pieces: %s", (_, model, cacheBytes) => {
  it("give the ids of the joined text at every turn, continued, branched and repeated", {
    timeout: 60_000,
  }, async () => {
    const engines = await load(model, cacheBytes === undefined ? undefined : new CacheBudget(cacheBytes));
    const random = new Random(31);
    const messages = corpusTexts({ addedTokens }, 660, 30);
    const conversations: string[][] = Array.from({ length: 6 }, (_, index) => ["system: ", messages[index] ?? ""]);
    for (const message of messages) {
      const pieces = random.pick(conversations);
      const branch = random.below(4) === 0 ? pieces.slice(0, random.between(1, pieces.length)) : pieces;
      const next = [
        ...branch,
        random.pick(["<|x|>user\n", "<s>", " ", "\n"]),
        message,
        random.pick(["<|x|>\n", "", "</s>"]),
      ];
      conversations[random.below(6)] = next.length > 40 ? next.slice(0, 2) : next;
      await expectOfficial(engines, next, random.below(2) === 1);
      if (random.below(5) === 0)
        await expectOfficial(
          engines,
          next.map((piece) => Buffer.from(piece).toString()),
          true,
        );
    }
  });
});

describe("encodePieces", () => {
  it("takes no pieces, empty ones and one", async () => {
    const engines = await load(byteModel(patterns.qwen3));
    for (const pieces of [[], [""], ["", ""], ["a"], ["a", "", "b"]]) await expectOfficial(engines, pieces, true);
  });

  it("hands out arrays that nobody shares: changing one changes no later prompt", async () => {
    const engines = await load(byteModel(patterns.qwen3));
    const pieces = ["it was so ".repeat(40), "and so on ".repeat(40)];
    const first = await engines.ours.encodePieces(pieces, { addSpecialTokens: false });
    first.ids.fill(0);
    await expectOfficial(engines, pieces, false);
    await expectOfficial(engines, [...pieces, "more of it ".repeat(10)], false);
  });
});

function bos(): TokenizerJson {
  return {
    type: "TemplateProcessing",
    single: [{ SpecialToken: { id: "b", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
    pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 0 } }],
    special_tokens: { b: { id: "b", ids: [1], tokens: ["b"] } },
  };
}
