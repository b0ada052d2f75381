import type { JsonValue } from "../json/index.ts";
import { isList, type Message, plainMessage, textPart, withMembers } from "./messages.ts";

/**
 * How a template takes the reasoning of earlier turns: not at all (it is put into the content), as text only, or as it is.
 */
export type ReasoningForm = "inline" | "text" | "as-is";

const probeText = "REASONING_PROBE_7f3a";

/** @param render the prompt of messages; undefined when it cannot be rendered */
export function reasoningForm(
  source: string,
  render: (messages: readonly Message[]) => string | undefined,
): ReasoningForm {
  if (!source.includes("reasoning_content")) return "inline";
  const prints = (reasoning: JsonValue) => {
    const answer = withMembers(plainMessage("assistant", "Assistant"), { reasoning_content: reasoning });
    return render([plainMessage("user", "User"), answer])?.includes(probeText) === true;
  };
  return prints(probeText) && !prints([probeText]) ? "text" : "as-is";
}

/** The message with its reasoning in the form that the template takes (dynamo-renderer@8.0.3 template/oai.rs). */
export function shapeReasoning(message: Message, form: ReasoningForm): Message {
  const reasoning = message.get("reasoning_content");
  if (reasoning === undefined || reasoning === null || form === "as-is") return message;
  const segments = (isList(reasoning) ? reasoning : [reasoning]).filter((segment) => segment !== "");
  if (form === "text") {
    return isList(reasoning) ? withMembers(message, { reasoning_content: segments.join("\n") }) : message;
  }
  if (message.get("role") !== "assistant") return message;
  const blocks = segments.map((segment) => `<think>${String(segment)}</think>`).join("");
  const content = blocks === "" ? message.get("content") : prefixed(blocks, message.get("content"));
  return withMembers(message, { content, reasoning_content: undefined });
}

function prefixed(blocks: string, content: JsonValue | undefined): JsonValue {
  if (isList(content)) return [textPart(blocks), ...content];
  return typeof content === "string" ? blocks + content : blocks;
}
