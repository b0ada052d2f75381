import { spawnSync } from "node:child_process";
import { readTokenizer, type TokenizerName, tokenizerNames } from "../../../scripts/tokenizers.ts";
import { JsonObject, parseJson } from "../../../src/json/index.ts";
import { loadTokenizer } from "../../../src/tokenizer/index.ts";
import { corpusTexts, fuzzTexts, longTexts } from "./corpus.ts";

// Compares with Python: `node_modules/.bin/node test/unit/tokenizer/python-parity.ts <python> [seed] [model...]`, where <python> has `tokenizers` and, for the view of transformers 5, `transformers`.
const [python = "python3", seedArgument = "1", ...wanted] = process.argv.slice(2);

/** Answers one line of ids for each line of text. */
const reference = `
import json, sys
from tokenizers import Tokenizer
folder, view = sys.argv[1:]
if view == "raw":
    tokenizer = Tokenizer.from_file(folder + "/tokenizer.json")
else:
    from transformers import AutoTokenizer
    tokenizer = AutoTokenizer.from_pretrained(folder).backend_tokenizer
tokenizer.no_truncation()
tokenizer.no_padding()
for line in sys.stdin.buffer:
    print(",".join(map(str, tokenizer.encode(json.loads(line), add_special_tokens=False).ids)))
`;

async function differing(name: TokenizerName, view: "raw" | "transformers5"): Promise<readonly string[]> {
  const files = readTokenizer(name);
  const config = parseJson(files.tokenizerConfig);
  if (!(config instanceof JsonObject)) throw new TypeError("tokenizer_config.json is not an object");
  const { added_tokens: tokens } = JSON.parse(files.tokenizerJson.toString("utf8")) as {
    added_tokens: readonly { content: string }[];
  };
  const model = { addedTokens: tokens.map(({ content }) => content) };
  const seed = Number(seedArgument);
  const texts = [...corpusTexts(model, 5500, seed), ...fuzzTexts(model, 6000, seed), ...longTexts(5000)];
  const answered = spawnSync(python, ["-c", reference, files.folder, view], {
    input: texts.map((text) => `${JSON.stringify(text)}\n`).join(""),
    encoding: "utf8",
    maxBuffer: 2 ** 30,
  });
  if (answered.status !== 0) throw new Error(answered.stderr);
  const expected = answered.stdout.split("\n");
  const ours = await loadTokenizer(files.tokenizerJson, config, { view });
  const found: string[] = [];
  for (const [index, text] of texts.entries()) {
    const ids = await ours.encode(text, { addSpecialTokens: false });
    if (ids.join(",") !== expected[index]) found.push(text);
  }
  console.log(`${name} ${view}: ${found.length} of ${texts.length} differ`);
  return found;
}

let total = 0;
for (const name of tokenizerNames.filter((candidate) => wanted.length === 0 || wanted.includes(candidate))) {
  for (const view of ["raw", "transformers5"] as const) {
    const found = await differing(name, view);
    total += found.length;
    for (const text of found.slice(0, 5)) console.log(`  ${JSON.stringify(text.slice(0, 200))}`);
  }
}
process.exitCode = total === 0 ? 0 : 1;
