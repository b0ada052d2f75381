import { MessageChannel, receiveMessageOnPort } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import {
  type CompiledTokenizer,
  exactTokenizer,
  readCompiledTokenizer,
  UncuttableText,
} from "../../../src/tokenizer/index.ts";
import { NativeTokenizer } from "../../../src/tokenizer/native-tokenizer.ts";
import { corpusTexts } from "./corpus.ts";
import { addedToken, byteModel, characterModel, patterns, type TokenizerJson } from "./small-models.ts";

const plain = { addSpecialTokens: false };
const bos = {
  type: "TemplateProcessing",
  single: [{ SpecialToken: { id: "b", type_id: 0 } }, { Sequence: { id: "A", type_id: 0 } }],
  pair: [{ Sequence: { id: "A", type_id: 0 } }, { Sequence: { id: "B", type_id: 0 } }],
  special_tokens: { b: { id: "b", ids: [1], tokens: ["b"] } },
};
const ignoring = { ...(byteModel(patterns.qwen3)["model"] as TokenizerJson), ignore_merges: true };
const models: readonly (readonly [string, TokenizerJson])[] = [
  ["byte-level", byteModel(patterns.qwen3, { post_processor: bos, normalizer: { type: "NFC" } })],
  ["of whole words", byteModel(patterns.qwen3, { model: ignoring, added_tokens: [addedToken("<|x|>")] })],
  ["SentencePiece", characterModel({ post_processor: bos })],
];

function compiledOf(model: TokenizerJson): CompiledTokenizer {
  const compiled = readCompiledTokenizer(Buffer.from(JSON.stringify(model)), undefined, {});
  if (compiled === undefined) throw new TypeError("a known tokenizer expected");
  return compiled;
}

/** As another thread receives it. */
function sent<T>(value: T): T {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(value);
  const received = receiveMessageOnPort(port2)?.message as T;
  port1.close();
  return received;
}

describe.each(models)("a compiled tokenizer (%s) that was sent to another thread", (_, model) => {
  const texts = corpusTexts({ addedTokens: ["<|x|>", "<s>"] }, 88, 12);

  it("gives the official engine's ids", async () => {
    const tokenizer = exactTokenizer(sent(compiledOf(model)));
    const official = new NativeTokenizer(JSON.stringify(model));
    expect(tokenizer.vocabularySize).toBe(official.vocabularySize);
    for (const text of texts) {
      expect((await tokenizer.encode(text, plain)).join()).toBe((await official.encode(text, plain)).join());
    }
  });

  it("shares its tables: the message holds no copy of the merges", () => {
    const compiled = compiledOf(model);
    expect(sent(compiled).merges.slots.buffer).toBeInstanceOf(SharedArrayBuffer);
    const received = sent(compiled);
    compiled.merges.slots[0] = 123_456;
    expect(received.merges.slots[0]).toBe(123_456);
  });

  it.each([true, false])("takes over the head of a prompt that another has encoded; special tokens %s", async (add) => {
    const official = new NativeTokenizer(JSON.stringify(model));
    const first = exactTokenizer(compiledOf(model));
    const long = texts.join(" ").repeat(3).slice(0, 9000);
    const pieces = ["user\n", long, "<|x|>", `${long} the end of it`];
    const encoded = await first.encodePieces(pieces, { addSpecialTokens: add });
    const head = encoded.head();
    if (head === undefined) throw new TypeError("a head expected");
    // Nothing but the text behind the head may be encoded: the rest is longer than what is allowed.
    const second = exactTokenizer(compiledOf(model), { maxUncutUnits: 100 });
    const next = [...pieces, "<|x|>", "and on it goes"];
    await expect(async () => second.encodePieces(next, { addSpecialTokens: add })).rejects.toThrow(UncuttableText);
    second.remember(sent(head), encoded.ids);
    const { ids } = await second.encodePieces(next, { addSpecialTokens: add });
    expect(ids.join()).toBe((await official.encode(next.join(""), { addSpecialTokens: add })).join());
  });
});
