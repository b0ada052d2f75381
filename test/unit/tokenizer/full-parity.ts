import { tokenizerNames } from "../../../scripts/tokenizers.ts";
import { corpusTexts, fuzzTexts, longTexts } from "./corpus.ts";
import { differences, loadContestants } from "./differences.ts";

// The whole comparison with the official engine: `node_modules/.bin/node test/unit/tokenizer/full-parity.ts [seed] [model...]`.
const [seedArgument, ...wanted] = process.argv.slice(2);
const seed = Number(seedArgument ?? 1);
let total = 0;
for (const name of tokenizerNames.filter((candidate) => wanted.length === 0 || wanted.includes(candidate))) {
  const contestants = await loadContestants(name);
  const corpus = corpusTexts(contestants, 5500, seed);
  const groups = {
    corpus,
    fuzz: fuzzTexts(contestants, 6000, seed),
    joined: conversations(corpus),
    long: longTexts(20_000),
  };
  for (const [group, texts] of Object.entries(groups)) {
    const found = await differences(contestants, texts);
    total += found.length;
    console.log(`${name} ${group}: ${found.length} of ${texts.length} differ`);
    for (const text of found.slice(0, 5)) console.log(`  ${JSON.stringify(text.slice(0, 200))}`);
  }
}
process.exitCode = total === 0 ? 0 : 1;

/** Texts that grow by one corpus text a turn, as conversations do. */
function conversations(corpus: readonly string[]): readonly string[] {
  const turns: string[] = [];
  let text = "";
  for (const part of corpus.slice(0, 600)) {
    text = text.length > 12_000 ? part : text + part;
    turns.push(text);
  }
  return turns;
}
