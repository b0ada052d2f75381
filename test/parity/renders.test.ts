import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseRequest } from "../../src/api/index.ts";
import { RoutingError } from "../../src/errors/index.ts";
import { JsonObject, type JsonValue, parseJson, stringifyJson } from "../../src/json/index.ts";
import { ChatRenderer } from "../../src/model/chat-renderer.ts";
import { profileByName } from "../../src/model/profile.ts";
import { specialTokenVariables } from "../../src/model/special-tokens.ts";
import { templateSources } from "../../src/model/template-source.ts";

interface Vector {
  readonly name: string;
  readonly config: JsonObject;
  readonly request: JsonObject;
  readonly prompt: string | undefined;
}

const vectors = readFileSync(join(import.meta.dirname, "..", "fixtures", "parity", "renders.jsonl"))
  .toString("utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map(readVector);

function readVector(line: string): Vector {
  const root = parseJson(Buffer.from(line));
  if (!(root instanceof JsonObject)) throw new TypeError("a vector is an object");
  return {
    name: String(root.get("name")),
    config: objectOf(root.get("config")),
    request: objectOf(root.get("request")),
    prompt: root.has("prompt") ? String(root.get("prompt")) : undefined,
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  if (!(value instanceof JsonObject)) throw new TypeError("an object expected");
  return value;
}

/** The prompt; undefined when the request is refused. */
function render({ config, request }: Vector): string | undefined {
  const empty = JsonObject.from([]);
  const parsedFiles = { tokenizerConfig: config, config: empty, chatTemplate: empty };
  const files = {
    tokenizerJson: Buffer.alloc(0),
    tokenizerConfig: undefined,
    chatTemplate: undefined,
    chatTemplateJson: undefined,
    config: undefined,
    generationConfig: undefined,
    otherNames: [],
  };
  const renderer = new ChatRenderer(
    profileByName("dynamo"),
    templateSources(files, parsedFiles, "dynamo"),
    specialTokenVariables(config, true),
  );
  const options = { dialect: "dynamo", refuseUnknownShapes: false, maxDepth: 128 } as const;
  try {
    const parsed = parseRequest("/v1/chat/completions", Buffer.from(stringifyJson(request)), options);
    if (parsed.api !== "chat") throw new TypeError("a chat request expected");
    return renderer.render(parsed.chat).pieces.join("");
  } catch (error) {
    if (error instanceof RoutingError) return undefined;
    throw error;
  }
}

/** The renderer alone takes these; the frontend's own checks refuse them before they get there. */
const refusedBefore = new Set([
  "tl_empty_messages",
  "tools_tojson",
  "tools_empty",
  "args_parsed_2",
  "args_string_2",
  "args_parsed_3",
  "args_string_3",
]);

describe("prompts of Dynamo's renderer", () => {
  const known = vectors.filter(({ name }) => !refusedBefore.has(name));

  it.each(known)("$name", (vector) => {
    expect(render(vector)).toBe(vector.prompt);
  });

  it.each(vectors.filter(({ name }) => refusedBefore.has(name)))("$name is refused before it is rendered", (vector) => {
    expect(render(vector)).toBeUndefined();
  });
});
