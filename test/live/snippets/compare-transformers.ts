import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ensureOraclePython } from "../../../scripts/oracle/environment.ts";
import { renderSnippet } from "./render-snippet.ts";
import { composeSnippet } from "./snippet.ts";
import { snippetContext } from "./snippet-context.ts";
import type { SnippetDifference, SnippetOutcome } from "./snippet-difference.ts";
import { huggingfaceVocabulary } from "./vocabulary.ts";

/** Addresses that Python prints differ from run to run. */
const address = / at 0x[0-9a-f]+/;

interface Answer {
  readonly ok?: string;
  readonly err?: string;
}

/** Renders the first `count` snippets of a seed in Hugging Face's dialect, by our engine and by transformers. */
export async function compareWithTransformers(seed: number, count: number): Promise<SnippetOutcome> {
  const sources = Array.from({ length: count }, (_, index) => composeSnippet(seed, index, huggingfaceVocabulary));
  const answers = await transformersAnswers(sources);
  let unknown = 0;
  const differences: SnippetDifference[] = [];
  for (const [index, source] of sources.entries()) {
    const theirs = answers[index]?.ok;
    const ours = renderSnippet(source, "huggingface");
    if (theirs !== undefined && address.test(theirs)) continue;
    if (ours === "unknown") unknown += theirs === undefined ? 0 : 1;
    else if (ours.text !== theirs) differences.push({ source, ours: ours.text, theirs: answers[index] });
  }
  return { compared: answers.length, unknown, differences };
}

async function transformersAnswers(sources: readonly string[]): Promise<readonly Answer[]> {
  const folder = mkdtempSync(join(tmpdir(), "snippets-"));
  const context = join(folder, "context.json");
  writeFileSync(context, snippetContext);
  try {
    const script = join(import.meta.dirname, "render_snippets.py");
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
