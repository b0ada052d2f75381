import { JsonObject, type JsonValue, serdeJsonText, serdeValue } from "../../../json/index.ts";
import { TemplateRefusal } from "../../template-errors.ts";
import { compareText } from "../../values/compare.ts";
import type { Segments } from "./segments.ts";

/** Compact JSON with the keys of all objects sorted. */
export function sortedJson(value: JsonValue): string {
  return serdeJsonText(sorted(serdeValue(value)));
}

function sorted(value: JsonValue): JsonValue {
  if (value instanceof JsonObject) {
    const entries = [...value.entries()].toSorted(([one], [other]) => compareText(one, other));
    return JsonObject.from(entries.map(([key, member]) => [key, sorted(member)] as const));
  }
  return isList(value) ? value.map(sorted) : value;
}

export function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Tools that a message declares; none for an empty list. */
export function toolsOf(message: JsonObject): readonly JsonValue[] {
  const tools = message.get("tools");
  return isList(tools) ? tools : [];
}

/**
 * Checks the tools of the request and of messages, which share one space of names.
 * @throws TemplateRefusal for an entry that is no function, for a name that the model does not take, or one given twice
 */
export function checkTools(tools: readonly JsonValue[], messages: readonly JsonObject[]): void {
  const seen = new Set<string>();
  for (const tool of [...tools, ...messages.flatMap(toolsOf)]) {
    const name = checkedName(tool);
    if (seen.has(name)) throw new TemplateRefusal();
    seen.add(name);
  }
}

/** A tool is a function in OpenAI's wrapping, or bare. */
function checkedName(tool: JsonValue): string {
  if (!(tool instanceof JsonObject)) throw new TemplateRefusal();
  const isBare = !tool.has("type") && !tool.has("function");
  const target = isBare ? tool : tool.get("function");
  if (!isBare && tool.get("type") !== "function") throw new TemplateRefusal();
  const name = target instanceof JsonObject ? target.get("name") : undefined;
  if (typeof name !== "string" || !/^[A-Za-z_][\w-]{0,255}$/.test(name)) throw new TemplateRefusal();
  return name;
}

/** Whether one of the tools has the name. */
export function declares(tools: readonly JsonValue[], name: string): boolean {
  return tools.some((tool) => {
    if (!(tool instanceof JsonObject)) return false;
    const target = tool.get("function");
    const given = target instanceof JsonObject && target.has("name") ? target.get("name") : tool.get("name");
    return given === name;
  });
}

/** @param isLate declared by a message, beside those of the request */
export function writeTools(segments: Segments, tools: readonly JsonValue[], isLate: boolean): void {
  const head = isLate
    ? `## New Tools Available
The system dynamically extends the toolset via lazy-loading.
You have access to all existing and extended tools.
Here are the specs for the extended tools.`
    : `# Tools
Here are the available tools, described in JSONSchema.`;
  segments.open("message", [
    ["role", "system"],
    ["type", "tool-declare"],
  ]);
  segments.text(`${head}\n\n\`\`\`json\n${sortedJson(tools)}\n\`\`\``);
  segments.closeMessage();
}
