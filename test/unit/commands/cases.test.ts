import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type CasesOptions, explainCases } from "../../../src/commands/cases.ts";
import { addedToken, characterModel } from "../tokenizer/small-models.ts";

/** A model of the class that transformers 5 reads in its own way: the mark of a word's start is put before each piece of text, or only before the first. */
const tokenizer = characterModel({
  added_tokens: [{ ...addedToken("<x>"), id: 400 }],
  normalizer: {
    type: "Sequence",
    normalizers: [
      { type: "Prepend", prepend: "▁" },
      { type: "Replace", pattern: { String: " " }, content: "▁" },
    ],
  },
  pre_tokenizer: null,
});

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "cases-"));
  await writeFile(join(folder, "tokenizer.json"), JSON.stringify(tokenizer));
  await writeFile(join(folder, "tokenizer_config.json"), '{"tokenizer_class": "LlamaTokenizer", "legacy": false}');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function tokensOf(prompt: string, options: Omit<CasesOptions, "modelDir" | "model">): Promise<unknown> {
  const output = new PassThrough();
  const line = JSON.stringify({ name: "one", path: "/v1/completions", body: { prompt } });
  await explainCases({ modelDir: folder, model: "m", ...options }, Readable.from([line]), output);
  output.end();
  return (JSON.parse(await text(output)) as { token_ids: unknown }).token_ids;
}

describe("explainCases", () => {
  it("reads the tokenizer's files as it is told", async () => {
    const raw = await tokensOf("a<x>a", { profile: "vllm", tokenizerView: "raw" });
    const transformers5 = await tokensOf("a<x>a", { profile: "vllm", tokenizerView: "transformers5" });
    expect(raw).toHaveLength(3);
    expect(transformers5).toEqual([...(raw as number[]).slice(0, 2), expect.any(Number)]);
    expect(transformers5).not.toEqual(raw);
  });

  it.each([
    { profile: "dynamo", view: "raw" },
    { profile: "vllm", view: "transformers5" },
    { profile: "sglang", view: "sglang" },
  ] as const)("reads them as the backend of $profile does by default", async ({ profile, view }) => {
    const expected = await tokensOf("a<x>a", { profile, tokenizerView: view });
    expect(await tokensOf("a<x>a", { profile })).toEqual(expected);
  });
});
