import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Oracle } from "../../../scripts/oracle/oracle.ts";
import { compileTemplate, UnsupportedTemplateError } from "../../../src/template/index.ts";
import { Explainer } from "../parity/explainer.ts";
import { textOfBytes, writeByteModel } from "../templates/byte-model.ts";
import { composeSnippet } from "./snippet.ts";
import { snippetContext } from "./snippet-context.ts";
import type { SnippetDifference, SnippetOutcome } from "./snippet-difference.ts";
import { dynamoVocabulary } from "./vocabulary.ts";

/** Snippets of one template, each shown when its number is asked for; a frontend takes a dozen such models. */
const inOneTemplate = 150;
const modelsAtOnce = 8;

interface SnippetModel {
  readonly name: string;
  readonly folder: string;
  readonly snippets: readonly string[];
}

/** Renders `count` snippets of a seed in Dynamo's dialect, by the code of `explain --cases` and by a frontend of our own. */
export async function compareWithFrontend(seed: number, count: number): Promise<SnippetOutcome> {
  const sources = templatesOf(seed, count);
  const outcomes: SnippetOutcome[] = [];
  const step = inOneTemplate * modelsAtOnce;
  for (let from = 0; from < count; from += step) outcomes.push(await compareAtOnce(sources.slice(from, from + step)));
  return {
    compared: count,
    unknown: outcomes.reduce((sum, outcome) => sum + outcome.unknown, 0),
    differences: outcomes.flatMap((outcome) => outcome.differences),
  };
}

/** One that is no template would take the others of its model with it. */
function templatesOf(seed: number, count: number): readonly string[] {
  const sources: string[] = [];
  for (let index = 0; sources.length < count; index++) {
    const source = composeSnippet(seed, index, dynamoVocabulary);
    if (compiles(source)) sources.push(source);
  }
  return sources;
}

function compiles(source: string): boolean {
  try {
    compileTemplate(`{% if alone %}${source}{% endif %}`, { dialect: "dynamo" });
    return true;
  } catch (error) {
    if (error instanceof UnsupportedTemplateError) return false;
    throw error;
  }
}

async function compareAtOnce(sources: readonly string[]): Promise<SnippetOutcome> {
  const root = mkdtempSync(join(tmpdir(), "snippet-models-"));
  try {
    const models = writeModels(root, sources);
    const oracle = await Oracle.start(models);
    try {
      const outcomes: SnippetOutcome[] = [];
      // The oracle answers one at a time.
      for (const model of models) outcomes.push(await compareModel(model, oracle));
      return {
        compared: sources.length,
        unknown: outcomes.reduce((sum, outcome) => sum + outcome.unknown, 0),
        differences: outcomes.flatMap((outcome) => outcome.differences),
      };
    } finally {
      await oracle.stop();
    }
  } finally {
    rmSync(root, { recursive: true });
  }
}

function writeModels(root: string, sources: readonly string[]): readonly SnippetModel[] {
  return Array.from({ length: Math.ceil(sources.length / inOneTemplate) }, (_, number) => {
    const snippets = sources.slice(number * inOneTemplate, (number + 1) * inOneTemplate);
    const chatTemplate = snippets.map((source, at) => `{% if snippet == ${at} %}${source}{% endif %}`).join("");
    const [name, folder] = [`snippets-${number}`, join(root, String(number))];
    writeByteModel(folder, { chatTemplate });
    return { name, folder, snippets };
  });
}

async function compareModel(model: SnippetModel, oracle: Oracle): Promise<SnippetOutcome> {
  const explainer = new Explainer(model.name, model.folder);
  let unknown = 0;
  const differences: SnippetDifference[] = [];
  for (const [at, source] of model.snippets.entries()) {
    const raw = bodyOf(model.name, at);
    const path = "/v1/chat/completions";
    const [ours, theirs] = await Promise.all([explainer.ask(path, raw), oracle.ask(path, Buffer.from(raw))]);
    if (ours.status === theirs.status && theirs.status !== 200) continue;
    if (ours.status === 200 && ours.token_ids === null) unknown += theirs.status === 200 ? 1 : 0;
    else if (ours.status !== theirs.status || !isDeepStrictEqual([ours.token_ids], theirs.tokenIds)) {
      const shownOurs = shown(ours.token_ids) ?? ours.error;
      differences.push({ source, ours: shownOurs, theirs: shown(theirs.tokenIds?.[0]) ?? theirs });
    }
  }
  await explainer.close();
  return { compared: model.snippets.length, unknown, differences };
}

function shown(ids: unknown): string | undefined {
  return Array.isArray(ids) ? textOfBytes(ids as number[]) : undefined;
}

function bodyOf(model: string, snippet: number): string {
  const variables = snippetContext.slice(0, snippetContext.indexOf('"messages"'));
  const messages = '[{"role": "user", "content": "Hi <|x|>"}]';
  return `{"model": "${model}", "messages": ${messages}, "chat_template_kwargs": ${variables} "snippet": ${snippet}}}`;
}
