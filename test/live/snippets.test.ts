import { execFileSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ensureOraclePython } from "../../scripts/oracle/environment.ts";
import { renderSnippet } from "./snippets/render-snippet.ts";
import { composeSnippet } from "./snippets/snippet.ts";
import { snippetContext } from "./snippets/snippet-context.ts";
import { huggingfaceVocabulary } from "./snippets/vocabulary.ts";

const seed = randomInt(2 ** 32);
const snippets = 10_000;

/** Addresses that Python prints differ from run to run. */
const address = / at 0x[0-9a-f]+/;

interface Answer {
  readonly ok?: string;
  readonly err?: string;
}

async function transformersAnswers(sources: readonly string[]): Promise<readonly Answer[]> {
  const folder = mkdtempSync(join(tmpdir(), "snippets-"));
  const context = join(folder, "context.json");
  writeFileSync(context, snippetContext);
  try {
    const script = join(import.meta.dirname, "snippets", "render_snippets.py");
    const input = sources.map((source) => `${JSON.stringify(source)}\n`).join("");
    const output = execFileSync(await ensureOraclePython(), [script, context], {
      input,
      maxBuffer: 2 ** 30,
      timeout: 240_000,
      stdio: ["pipe", "pipe", "ignore"],
    });
    return output
      .toString("utf8")
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Answer);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe(`composed templates of seed ${seed} in Hugging Face's dialect`, () => {
  it("print what transformers prints, and are refused where it raises", async () => {
    const sources = Array.from({ length: snippets }, (_, index) => composeSnippet(seed, index, huggingfaceVocabulary));
    const answers = await transformersAnswers(sources);
    expect(answers).toHaveLength(snippets);
    let unknown = 0;
    const wrong: object[] = [];
    for (const [index, source] of sources.entries()) {
      const theirs = answers[index]?.ok;
      const ours = renderSnippet(source, "huggingface");
      if (theirs !== undefined && address.test(theirs)) continue;
      if (ours === "unknown") unknown += theirs === undefined ? 0 : 1;
      else if (ours.text !== theirs) wrong.push({ index, source, ours: ours.text, theirs: answers[index] });
    }
    expect(wrong).toEqual([]);
    expect(unknown / snippets).toBeLessThan(0.01);
  });
});
