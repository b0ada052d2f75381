import { RoutingError } from "../errors/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import { stripPython, stripPythonRight } from "../template/index.ts";
import { isList, type Message, withMembers } from "./messages.ts";

/** Stands in no real prompt; the space at its end tells whether the template trims. */
const marker = "CONTINUE_FINAL_MESSAGE_TAG ";

/**
 * A prompt that ends within its last message (transformers@5.19.0 chat_template_utils.py render_jinja_template).
 * @throws RoutingError when the last message has no text to continue, or the template does not print it
 */
export function continueFinalMessage(
  messages: readonly Message[],
  render: (messages: readonly Message[]) => readonly string[],
): readonly string[] {
  const last = messages.at(-1);
  const content = last?.get("content");
  const marked = content === undefined ? undefined : markedContent(content);
  if (last === undefined || marked === undefined) throw nothingToContinue();
  const prompt = render([...messages.slice(0, -1), withMembers(last, { content: marked.content })]).join("");
  const at = prompt.lastIndexOf(marker.trimEnd());
  if (at === -1 || !prompt.includes(stripPython(marked.text))) throw nothingToContinue();
  const head = prompt.slice(0, at);
  return [prompt.startsWith(marker, at) ? head : stripPythonRight(head)];
}

/** Of a list, the last part with a text is marked. */
function markedContent(content: JsonValue): { readonly content: JsonValue; readonly text: string } | undefined {
  if (typeof content === "string") return { content: content + marker, text: content };
  if (!isList(content)) return undefined;
  const at = content.findLastIndex((part) => part instanceof JsonObject && typeof part.get("text") === "string");
  const part = content[at];
  const text = part instanceof JsonObject ? part.get("text") : undefined;
  if (!(part instanceof JsonObject) || typeof text !== "string") return undefined;
  return { content: content.with(at, withMembers(part, { text: text + marker })), text };
}

function nothingToContinue(): RoutingError {
  return new RoutingError("`continue_final_message` needs text in the last message that the template prints", {
    code: "invalid_request",
    field: "continue_final_message",
  });
}
