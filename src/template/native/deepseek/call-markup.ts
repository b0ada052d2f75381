import { Buffer } from "node:buffer";
import { JsonObject, JsonSyntaxError, type JsonValue, parseJson, serdeValue } from "../../../json/index.ts";
import { TemplateRefusal } from "../../template-errors.ts";
import { pythonJson } from "../json-text.ts";

/** Names of the tags that tool calls are written with. */
export interface CallMarkup {
  readonly calls: string;
  readonly invoke: string;
  readonly parameter: string;
}

export const markupV32: CallMarkup = {
  calls: "｜DSML｜function_calls",
  invoke: "｜DSML｜invoke",
  parameter: "｜DSML｜parameter",
};
export const markupV4: CallMarkup = { ...markupV32, calls: "｜DSML｜tool_calls" };
export const markupV41: CallMarkup = {
  calls: "｜DSML｜ calls",
  invoke: "｜DSML｜ invoke",
  parameter: "｜DSML｜ parameter",
};

/**
 * The calls of an answer.
 * @param readArguments what the text of a call's arguments stands for
 * @throws TemplateRefusal for a call without a name
 */
export function writtenCalls(
  calls: readonly JsonValue[],
  markup: CallMarkup,
  readArguments: (text: string) => JsonObject,
): string {
  const { calls: block, invoke } = markup;
  const written = calls.map((call) => {
    const target = call instanceof JsonObject ? call.get("function") : undefined;
    const name = target instanceof JsonObject ? target.get("name") : undefined;
    const text = target instanceof JsonObject ? target.get("arguments") : undefined;
    if (typeof name !== "string" || typeof text !== "string") throw new TemplateRefusal();
    const parameters = [...readArguments(text).entries()].map((entry) => writtenParameter(entry, markup));
    return `<${invoke} name="${name}">\n${parameters.join("\n")}\n</${invoke}>`;
  });
  return `<${block}>\n${written.join("\n")}\n</${block}>`;
}

function writtenParameter([name, value]: readonly [string, JsonValue], { parameter }: CallMarkup): string {
  const isText = typeof value === "string";
  return `<${parameter} name="${name}" string="${isText}">${isText ? value : pythonJson(value)}</${parameter}>`;
}

/** Arguments of V3.2 and V4: text that is no JSON is an argument of its own. @throws TemplateRefusal for JSON that is no object */
export function parsedArguments(text: string): JsonObject {
  const parsed = parsedJson(text);
  if (parsed === undefined) return JsonObject.from([["arguments", text]]);
  if (!(parsed instanceof JsonObject)) throw new TemplateRefusal();
  return parsed;
}

/** Arguments of V4.1, which may be JSON in JSON; whatever is no object is an argument of its own. */
export function unwrappedArguments(text: string): JsonObject {
  const parsed = parsedJson(text);
  const inner = typeof parsed === "string" ? (parsedJson(parsed) ?? parsed) : parsed;
  return inner instanceof JsonObject ? inner : JsonObject.from([["arguments", text]]);
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return serdeValue(parseJson(Buffer.from(text), { maxDepth: 127, finiteNumbers: true }));
  } catch (error) {
    if (error instanceof JsonSyntaxError) return undefined;
    throw error;
  }
}
