import { JsonObject, type JsonValue } from "../../../json/index.ts";
import { sortedJson } from "./declared-tools.ts";
import type { Segments } from "./segments.ts";

// What the model is told beside the conversation, word for word as it was trained (encoding_k3.py).

function tell(segments: Segments, type: string, text: string): void {
  segments.open("message", [
    ["role", "system"],
    ["type", type],
  ]);
  segments.text(text);
  segments.closeMessage();
}

export function tellEffort(segments: Segments, effort: string): void {
  tell(
    segments,
    "thinking-effort",
    "`thinking_effort` guides on how much to think in your thinking channel (not including the response channel), supported values " +
      `include \`low\`, \`medium\`, \`high\`, and \`max\`.\nNow the system is invoked with \`thinking_effort=${effort}\`.`,
  );
}

/** @param name of the tool that must be called, where one is named */
export function tellToolChoice(segments: Segments, choice: JsonValue | undefined, name: string | undefined): void {
  const invoked = (kind: string, rest: string) =>
    tell(
      segments,
      "tool-choice",
      `The system is invoked with \`tool_choice=${kind}\`.\nYou ${rest} in the next message.`,
    );
  if (name !== undefined) invoked("specified", `MUST call the tool \`${name}\``);
  else if (choice === "required") invoked("required", "MUST call tools");
  else if (choice === "none") invoked("none", "MUST NOT call any tools");
}

export function tellResponseFormat(segments: Segments, format: JsonValue | undefined): void {
  const type = format instanceof JsonObject ? format.get("type") : undefined;
  if (type !== "json_object" && type !== "json_schema") return;
  const raw =
    `The system is invoked with \`response_format=${type}\`.\n` +
    "Your response must be raw JSON data without markdown code blocks (```json) or any additional formatting.";
  if (type === "json_object") {
    tell(segments, "response-format", raw);
    return;
  }
  const schema = schemaOf(format instanceof JsonObject ? format.get("json_schema") : undefined);
  const text = `${raw}\nThe JSON data must match the following schema:\n\`\`\`json\n${sortedJson(schema)}\n\`\`\``;
  tell(segments, "response-format", text);
}

function schemaOf(format: JsonValue | undefined): JsonValue {
  const schema = format instanceof JsonObject ? format.get("schema") : undefined;
  return schema ?? format ?? null;
}
