import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import {
  type EngineTraits,
  type ParsedRequest,
  type ParseOptions,
  parseRequest,
  type SglangTraits,
  type VllmTraits,
} from "../../../src/api/index.ts";
import { httpStatusByCode, RoutingError } from "../../../src/errors/index.ts";
import { JsonObject, type JsonValue, parseJson } from "../../../src/json/index.ts";

export const dynamoOptions: ParseOptions = { dialect: "dynamo", refuseUnknownShapes: false, maxDepth: 512 };

export const vllm: VllmTraits = {
  name: "vllm",
  mergesInlineSystem: false,
  disabledThinkingEffort: "none",
  usesHarmony: false,
};

export const sglang: SglangTraits = {
  name: "sglang",
  keepsInlineSystem: true,
  thinking: { kind: "toggle", arguments: ["enable_thinking"] },
  thinkMarks: { start: "<think>", end: "</think>" },
  usesHunyuanEffort: false,
  showsToolsAsSent: true,
  unknownResponses: undefined,
  usesHarmony: false,
};

/** As an engine reads requests. */
export function engineOptions(engine: EngineTraits | undefined): ParseOptions {
  return { ...dynamoOptions, dialect: "engine", engineOf: () => engine };
}

/** Lines of a JSON-lines file under test/fixtures. */
export function readLines<T>(file: string): readonly T[] {
  const text = readFileSync(new URL(`../../fixtures/${file}`, import.meta.url), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

export function parseText(path: string | undefined, text: string, options: Partial<ParseOptions> = {}): ParsedRequest {
  return parseRequest(path, Buffer.from(text), { ...dynamoOptions, ...options });
}

/** A body as a client library would send it. */
export function parseBody(path: string | undefined, body: object, options: Partial<ParseOptions> = {}): ParsedRequest {
  return parseText(path, JSON.stringify(body), options);
}

/** The refusal of a request, as its client sees it; fails the test when it is accepted. */
export function refusalOf(parse: () => unknown): { status: number; field: string | undefined; message: string } {
  try {
    parse();
  } catch (error) {
    if (!(error instanceof RoutingError)) throw error;
    return { status: httpStatusByCode[error.code], field: error.field, message: error.message };
  }
  throw new Error("the request was accepted");
}

export function object(value: unknown): JsonObject {
  const parsed: JsonValue = parseJson(Buffer.from(JSON.stringify(value)));
  if (parsed instanceof JsonObject) return parsed;
  throw new TypeError("not an object");
}
