import { describe, expect, it } from "vitest";
import { loadTokenizer, UncuttableText } from "../../../src/tokenizer/index.ts";
import { NativeTokenizer } from "../../../src/tokenizer/native-tokenizer.ts";
import { corpusTexts } from "./corpus.ts";
import { addedToken, byteModel, patterns } from "./small-models.ts";

const json = JSON.stringify(byteModel(patterns.qwen3, { added_tokens: [addedToken("<|x|>")] }));
const official = new NativeTokenizer(json);
const plain = { addSpecialTokens: false };
const corpus = { addedTokens: ["<|x|>"] };

function longText(seed: number): string {
  return corpusTexts(corpus, 400, seed).join(" ").repeat(4);
}

describe("a long prompt that is new", () => {
  it("lets other work run while it is encoded, and gets the official ids", async () => {
    const tokenizer = await loadTokenizer(Buffer.from(json));
    const pieces = ["user\n", longText(1), "<|x|>", longText(2), "end"];
    const encoding = tokenizer.encodePieces(pieces, plain);
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      while (!isDone) {
        await new Promise((resolve) => setImmediate(resolve));
        turns++;
        // Other prompts are encoded in between.
        await tokenizer.encodePieces(["hello ", "there, you <|x|>", `${turns}`], plain);
      }
    })();
    const { ids } = await encoding;
    isDone = true;
    await counting;
    expect(turns).toBeGreaterThan(3);
    expect(ids.join()).toBe((await official.encode(pieces.join(""), plain)).join());
  });

  it("that comes twice at the same time is right both times", async () => {
    const tokenizer = await loadTokenizer(Buffer.from(json));
    const pieces = [longText(3), " and ", longText(4)];
    const [first, second] = await Promise.all([
      tokenizer.encodePieces(pieces, plain),
      tokenizer.encodePieces([...pieces, " more"], plain),
    ]);
    expect(first.ids.join()).toBe((await official.encode(pieces.join(""), plain)).join());
    expect(second.ids.join()).toBe((await official.encode(`${pieces.join("")} more`, plain)).join());
  });
});

describe("a slice of a new prompt", () => {
  /** A clock that says a slice is over after each step. */
  function hurried() {
    let now = 0;
    return () => (now += 10);
  }

  it("is one step of a few thousand units: of many short pieces as of few long ones", async () => {
    const tokenizer = await loadTokenizer(Buffer.from(json), undefined, { now: hurried() });
    const pieces = Array.from(
      { length: 200 },
      (_, index) => `${index} ${longText(5).slice(index * 90, index * 90 + 80)}`,
    );
    const encoding = tokenizer.encodePieces(pieces, plain);
    let turns = 0;
    let isDone = false;
    const counting = (async () => {
      while (!isDone) {
        await new Promise((resolve) => setImmediate(resolve));
        turns++;
      }
    })();
    const { ids } = await encoding;
    isDone = true;
    await counting;
    expect(turns).toBeGreaterThan(150);
    expect(ids.join()).toBe((await official.encode(pieces.join(""), plain)).join());
  });

  it("ends as well in text that was met before and has no place to be cut", async () => {
    const tokenizer = await loadTokenizer(Buffer.from(json), undefined, { now: hurried() });
    const pieces = Array.from({ length: 60 }, (_, index) => `${`${index}\n\t`.repeat(1_000)}<|x|>`);
    await tokenizer.encodePieces(pieces, plain);
    let isDone = false;
    let turns = 0;
    const encoding = Promise.resolve(tokenizer.encodePieces([...pieces, "more"], plain));
    void encoding.then(() => {
      isDone = true;
    });
    for (; !isDone; turns++) await new Promise((resolve) => setImmediate(resolve));
    expect(turns).toBeGreaterThan(2);
    expect((await encoding).ids.join()).toBe((await official.encode(`${pieces.join("")}more`, plain)).join());
  });

  it("leaves two turns of one conversation apart that are encoded at the same time", async () => {
    const tokenizer = await loadTokenizer(Buffer.from(json), undefined, { now: hurried() });
    const start = ["user\n", longText(6).slice(0, 5000)];
    await tokenizer.encodePieces(start, plain);
    const branches = [7, 8, 9].map((seed) => [...start, longText(seed).slice(0, 9000), "end"]);
    const encoded = await Promise.all(branches.map((pieces) => tokenizer.encodePieces(pieces, plain)));
    for (const [index, pieces] of branches.entries()) {
      const expected = (await official.encode(pieces.join(""), plain)).join();
      expect(encoded[index]?.ids.join()).toBe(expected);
      // And what was kept of each is right for its next turn.
      const next = await tokenizer.encodePieces([...pieces, " and more of it"], plain);
      expect(next.ids.join()).toBe((await official.encode(`${pieces.join("")} and more of it`, plain)).join());
    }
  });
});

describe("a run of marks that no writing has", () => {
  it("is encoded as any other text without a place to cut it", async () => {
    const model = byteModel(patterns.qwen3, { normalizer: { type: "NFC" } });
    const tokenizer = await loadTokenizer(Buffer.from(JSON.stringify(model)));
    const text = `some a${"\u0301\u0323".repeat(20_000)} more`;
    const reference = new NativeTokenizer(JSON.stringify(model));
    const { ids } = await tokenizer.encodePieces([text], plain);
    expect(ids.join()).toBe((await reference.encode(text, plain)).join());
  });
});

describe("a text without a place to cut it", () => {
  it("is refused beyond the bound, and encoded up to it", async () => {
    const tokenizer = await loadTokenizer(Buffer.from(json), undefined, { maxUncutUnits: 50_000 });
    await expect(async () => tokenizer.encodePieces(["a".repeat(50_001)], plain)).rejects.toThrow(UncuttableText);
    const { ids } = await tokenizer.encodePieces(["a".repeat(50_000)], plain);
    expect(ids.join()).toBe((await official.encode("a".repeat(50_000), plain)).join());
  });

  it("leaves nothing of its prompt in the next one", async () => {
    const tokenizer = await loadTokenizer(Buffer.from(json), undefined, { maxUncutUnits: 50_000 });
    const refused = ["some text before it, ".repeat(20), "<|x|>", "a".repeat(50_001)];
    await expect(async () => tokenizer.encodePieces(refused, plain)).rejects.toThrow(UncuttableText);
    expect((await tokenizer.encodePieces(["s"], plain)).ids.join()).toBe((await official.encode("s", plain)).join());
    await expect(async () => tokenizer.encode(refused.join(""), plain)).rejects.toThrow(UncuttableText);
    expect((await tokenizer.encode("s", plain)).join()).toBe((await official.encode("s", plain)).join());
  });
});

describe("NUL characters", () => {
  const piece = `${"some words of a prompt. ".repeat(6)}a\0b`;
  const without = piece.replaceAll("\0", "");

  it("are encoded when asked for where those of prompts are dropped, whichever comes first", async () => {
    for (const order of [
      [true, false, true],
      [false, true, false],
    ]) {
      const tokenizer = await loadTokenizer(Buffer.from(json), undefined, { dropsNul: true });
      for (const keepsNul of order) {
        const { ids } = await tokenizer.encodePieces([piece, piece], { ...plain, keepsNul });
        const text = keepsNul ? piece : without;
        expect(ids.join()).toBe((await official.encode(text + text, plain)).join());
      }
    }
  });
});
