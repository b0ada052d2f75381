import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { loadTokenizer, type TokenizerView, UnknownReading } from "../../../src/tokenizer/index.ts";

interface Family {
  readonly name: string;
  readonly files: Readonly<Record<string, { readonly model_type?: string }>>;
  readonly texts: readonly string[];
}

interface Reading {
  readonly name: string;
  readonly view: TokenizerView;
  readonly token_ids: readonly (readonly number[])[];
}

/** Written by `scripts/oracle/engines/record-families.sh`. */
const lines = gunzipSync(readFileSync(new URL("../../fixtures/tokenizer/families.jsonl.gz", import.meta.url)))
  .toString("utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as Family | Reading);

const families = new Map(lines.flatMap((line) => ("files" in line ? [[line.name, line] as const] : [])));

/** transformers up to 5.20 reads byte-level files of this class as if they were SentencePiece, and cannot be served with that. */
const unusable = { name: "DeepSeek Coder", view: "transformers5" };

/** Their classes have code of their own in transformers. */
const unknown = ["BERT", "T5"];

const readings = lines
  .filter((line) => "view" in line)
  .filter(({ name, view }) => name !== unusable.name || view !== unusable.view);

function load({ name, view }: Reading) {
  const { files } = familyOf(name);
  const bytesOf = (file: string) => Buffer.from(JSON.stringify(files[file] ?? {}));
  const config = parseJson(bytesOf("tokenizer_config.json"));
  if (!(config instanceof JsonObject)) throw new TypeError("an object expected");
  return loadTokenizer(bytesOf("tokenizer.json"), config, { view, modelType: files["config.json"]?.model_type });
}

function familyOf(name: string): Family {
  const family = families.get(name);
  if (family === undefined) throw new Error(`no family ${name}`);
  return family;
}

describe.each(readings)("the tokenizer of $name as seen by $view", (reading) => {
  const { name, view, token_ids: expected } = reading;

  if (view !== "raw" && unknown.includes(name)) {
    it("is not known", async () => {
      await expect(load(reading)).rejects.toThrow(UnknownReading);
    });
    return;
  }

  it("gives the ids of Python", async () => {
    const tokenizer = await load(reading);
    const { texts } = familyOf(name);
    expect(expected).toHaveLength(texts.length);
    for (const [at, text] of texts.entries()) {
      expect([...(await tokenizer.encode(text, { addSpecialTokens: true }))], text).toEqual(expected[at]);
    }
  });
});

it("families of every kind of model are among them", () => {
  const kinds = [...families.values()].map(
    ({ files }) => JSON.stringify(files["tokenizer.json"]).match(/"model": ?\{"type": ?"(\w+)"/)?.[1],
  );
  expect(new Set(kinds)).toEqual(new Set(["BPE", "Unigram", "WordPiece"]));
});
