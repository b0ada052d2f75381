import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { corpusTexts } from "./corpus.ts";
import { modelCases } from "./transformers5-cases.ts";

// Records what AutoTokenizer makes of random models: `node_modules/.bin/node test/unit/tokenizer/record-transformers5.ts <python with transformers 5.24.0>`.
const [python = "python3"] = process.argv.slice(2);
const addedTokens = ["<|x|>", "<think>", "<s>", "<|endoftext|>", "<bos>", "[Q]", "[R]", "[V]", "[W]", "[Z]"];
const texts = [
  ...corpusTexts({ addedTokens }, 6, 3).map((text) => text.slice(0, 40).toWellFormed()),
  ...["  two  spaces", " lead", "e\u0301 12345 \u0085x", "it's they'LL", "[Q]a [R] the[V]of[W] [Z]<s><pad><unk>"],
];
const answer = `
import json, sys
from transformers import AutoTokenizer
texts = json.load(open(sys.argv[1]))
for folder in sys.argv[2:]:
    try:
        engine = AutoTokenizer.from_pretrained(folder).backend_tokenizer
        engine.no_truncation()
        engine.no_padding()
        ids = lambda special: [engine.encode(text, add_special_tokens=special).ids for text in texts]
        print(json.dumps({"plain": ids(False), "special": ids(True)}))
    except Exception as error:
        print(json.dumps(None))
`;

const folder = mkdtempSync(join(tmpdir(), "models-"));
try {
  const cases = modelCases(90, 11);
  const folders = cases.map(({ tokenizer, tokenizerConfig, modelType }, index) => {
    const path = join(folder, String(index));
    mkdirSync(path);
    writeFileSync(join(path, "tokenizer.json"), JSON.stringify(tokenizer));
    writeFileSync(join(path, "tokenizer_config.json"), JSON.stringify(tokenizerConfig));
    writeFileSync(join(path, "config.json"), JSON.stringify(modelType === undefined ? {} : { model_type: modelType }));
    return path;
  });
  writeFileSync(join(folder, "texts.json"), JSON.stringify(texts));
  const options = { encoding: "utf8" as const, maxBuffer: 2 ** 28 };
  const lines = execFileSync(python, ["-c", answer, join(folder, "texts.json"), ...folders], options)
    .trim()
    .split("\n");
  const target = new URL("../../fixtures/tokenizer/transformers5.json", import.meta.url);
  mkdirSync(new URL(".", target), { recursive: true });
  writeFileSync(
    target,
    `{"origin":"AutoTokenizer of transformers 5.24.0; null: it cannot load the files",\n"texts":${JSON.stringify(texts)},\n"cases":[\n${lines.join(",\n")}\n]}\n`,
  );
} finally {
  rmSync(folder, { recursive: true });
}
