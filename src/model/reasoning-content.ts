import { JsonObject, type JsonValue } from "../json/index.ts";
import { isList, type Message, textPart, withMembers, withoutMember } from "./messages.ts";
import type { Probe } from "./template-probe.ts";
import { conversationWithCall } from "./template-probe-messages.ts";

/**
 * How a template takes the reasoning of earlier turns: not at all (it is put into the content), as text only, or as it is.
 */
export type ReasoningForm = "inline" | "text" | "as-is";

const firstSegment = "\u0001reasoning_probe_first\u0001";
const lastSegment = "\u0001reasoning_probe_last\u0001";

/** @param keepsArgumentText the form in which the template takes arguments of tool calls */
export function reasoningForm(source: string, probe: Probe, keepsArgumentText: boolean): ReasoningForm {
  if (!source.includes("reasoning_content")) return "inline";
  const callArguments = keepsArgumentText ? "{}" : JsonObject.from([]);
  const rendered = (reasoning: JsonValue) => probe(conversationWithCall(callArguments, reasoning), true) ?? "";
  if (!rendered(firstSegment).includes(firstSegment)) return "as-is";
  const fromList = rendered([firstSegment, lastSegment]);
  return fromList.includes(firstSegment) || fromList.includes(lastSegment) ? "as-is" : "text";
}

/** The message with its reasoning in the form that the template takes (dynamo-renderer@8.0.3 template/oai.rs). */
export function shapeReasoning(message: Message, form: ReasoningForm): Message {
  const reasoning = message.get("reasoning_content");
  if (reasoning === undefined || form === "as-is" || message.get("role") !== "assistant") return message;
  const segments = (isList(reasoning) ? reasoning : [reasoning]).filter(isFilledText);
  if (form === "text") {
    return isList(reasoning) ? withMembers(message, { reasoning_content: segments.join("\n") }) : message;
  }
  if (segments.length === 0) return message;
  const blocks = segments.map((segment) => `<think>${segment}</think>`).join("");
  const shaped = withMembers(message, { content: prefixed(blocks, message.get("content")) });
  return withoutMember(shaped, "reasoning_content");
}

function isFilledText(segment: JsonValue): segment is string {
  return typeof segment === "string" && segment !== "";
}

function prefixed(blocks: string, content: JsonValue | undefined): JsonValue {
  if (isList(content)) return [textPart(blocks), ...content];
  return typeof content === "string" ? blocks + content : blocks;
}
