import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ensureModelFolder } from "../../scripts/models.ts";
import { parseRequest } from "../../src/api/index.ts";
import { RoutingError } from "../../src/errors/index.ts";
import { JsonObject, parseJson, stringifyJson } from "../../src/json/index.ts";
import { Model, profileByName } from "../../src/model/index.ts";
import { fixtureLines, realTemplates } from "../support/templates/fixtures.ts";

interface Answer {
  readonly template: string;
  readonly name: string;
  readonly status: number;
  readonly tokens?: string;
}

const answers = fixtureLines("dynamo.jsonl.gz").map((line) => JSON.parse(line) as Answer);
const bodies = new Map(fixtureLines("bodies.jsonl.gz").map(readBody));
const sources = realTemplates();
const folder = ensureModelFolder("qwen3");
const tokenizerConfig = Buffer.from('{"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>"}');

function readBody(line: string): readonly [string, JsonObject] {
  const root = parseJson(Buffer.from(line));
  const body = root instanceof JsonObject ? root.get("body") : undefined;
  if (!(root instanceof JsonObject && body instanceof JsonObject)) throw new TypeError("a body expected");
  return [String(root.get("name")), body];
}

function load(template: string): Promise<Model> {
  const files = {
    tokenizerJson: readFileSync(join(folder, "tokenizer.json")),
    tokenizerConfig,
    chatTemplate: sources.get(template),
    chatTemplateJson: undefined,
    config: readFileSync(join(folder, "config.json")),
    generationConfig: undefined,
    otherNames: [],
  };
  return Model.load({ name: template, profile: profileByName("dynamo"), blockSize: 16 }, files);
}

/** Digest of the tokens; undefined when the request is refused. */
async function tokensOf(model: Model, body: JsonObject): Promise<string | undefined> {
  const withModel = JsonObject.from([["model", model.name], ...body.entries()]);
  try {
    const options = { dialect: "dynamo", refuseUnknownShapes: false, maxDepth: 128 } as const;
    const parsed = parseRequest("/v1/chat/completions", Buffer.from(stringifyJson(withModel)), options);
    if (parsed.api !== "chat") throw new TypeError("a chat request expected");
    const { tokenIds, inexactReason } = await model.tokenize(parsed);
    expect(inexactReason).toBeUndefined();
    const bytes = Buffer.from(tokenIds.buffer, tokenIds.byteOffset, tokenIds.byteLength);
    return createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  } catch (error) {
    if (error instanceof RoutingError) return undefined;
    throw error;
  }
}

/** The frontend answered on this day, which some templates print. */
const recordedOn = new Date(2026, 10, 29, 12);

beforeEach(() => vi.useFakeTimers({ toFake: ["Date"], now: recordedOn }));
afterEach(() => vi.useRealTimers());

describe("real templates give the tokens of the Dynamo frontend", () => {
  it.each([...new Set(answers.map(({ template }) => template))])("%s", async (template) => {
    const model = await load(template);
    for (const answer of answers.filter((each) => each.template === template)) {
      const body = bodies.get(answer.name);
      if (body === undefined) throw new TypeError(`no body ${answer.name}`);
      expect(await tokensOf(model, body), answer.name).toBe(answer.tokens);
    }
  });
});
