import { stdin, stdout } from "node:process";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { availableModels } from "../../test/parity/expectations.ts";
import { Oracle } from "./oracle.ts";
import type { ServedModel } from "./recording-worker.ts";

// What does the released Dynamo frontend do with these requests? Reads cases, one a line: `name`, `path`, and `body` or `raw` (the exact text,
// model included). Writes `{"name","model","status","token_ids"}` or `{"name","model","status","error"}`, one line a case and model.
// Usage: node_modules/.bin/node scripts/oracle/ask.ts --models qwen3,llama3_1 < cases.jsonl > answers.jsonl

interface Case {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
  readonly raw?: string;
}

const { values } = parseArgs({ options: { models: { type: "string", default: "qwen3" } } });
const models = values.models.split(",").map(servedModel);
const cases: Case[] = [];
for await (const line of createInterface({ input: stdin })) if (line !== "") cases.push(JSON.parse(line) as Case);

const oracle = await Oracle.start(models);
try {
  for (const { name: model } of models)
    for (const one of cases) stdout.write(`${JSON.stringify(await answer(one, model))}\n`);
} finally {
  await oracle.stop();
}

function servedModel(name: string): ServedModel {
  const [model] = availableModels([name]);
  if (model === undefined) throw new Error(`there is no folder of ${name} under .cache/models`);
  return model;
}

async function answer({ name, path, body, raw }: Case, model: string): Promise<object> {
  const {
    status,
    tokenIds,
    body: text,
  } = await oracle.ask(path, Buffer.from(raw ?? JSON.stringify({ model, ...body })));
  if (tokenIds === undefined) return { name, model, status, error: parsed(text) };
  return { name, model, status, token_ids: tokenIds.length === 1 ? tokenIds[0] : tokenIds };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
