import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { loadTokenizer } from "../../../src/tokenizer/index.ts";
import { byteModel, patterns } from "./small-models.ts";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

it.each([
  { name: "long", units: 200 },
  { name: "short", units: 30 },
])("$name pieces that are parts of longer strings do not keep those alive", async ({ units }) => {
  const tokenizer = await loadTokenizer(Buffer.from(JSON.stringify(byteModel(patterns.qwen3))));
  collect();
  const before = memoryUsage().heapUsed;
  for (let prompt = 0; prompt < 100; prompt++) {
    const body = Buffer.from(`${" ".repeat(1 << 19)}${"a word ".repeat(40)}${prompt}`).toString("latin1");
    const pieces = [
      body.slice(-units),
      `and a long piece that is its own, so that the prompt is remembered, number ${prompt}`,
    ];
    await tokenizer.encodePieces(pieces, { addSpecialTokens: false });
  }
  collect();
  expect(memoryUsage().heapUsed - before).toBeLessThan(10 << 20);
});
