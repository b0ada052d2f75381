import type { ChatRequest } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import type { RenderedChat } from "./chat-strategy.ts";
import { isList, type Message, withMembers } from "./messages.ts";

/** Stands in no real prompt; the space at its end tells whether the template trims. */
const marker = "CONTINUE_FINAL_MESSAGE_TAG ";

/**
 * Marks where the last message's text ends (dynamo-llm@1.6.1 preprocessor/prompt.rs).
 * @throws RoutingError when it has no text to continue
 */
export function markFinalMessage(messages: readonly Message[]): readonly Message[] {
  const last = messages.at(-1);
  const content = last === undefined ? undefined : markedContent(last.get("content"));
  if (last === undefined || content === undefined) throw nothingToContinue();
  return [...messages.slice(0, -1), withMembers(last, { content })];
}

/** Renders a conversation, up to the end of its last message's text where that is to be continued. */
export function renderedToFinalMessage(chat: ChatRequest, render: (chat: ChatRequest) => RenderedChat): RenderedChat {
  if (!chat.continueFinalMessage) return render(chat);
  return cutAtFinalMessage(render({ ...chat, messages: markFinalMessage(chat.messages) }));
}

/** The prompt up to the mark. @throws RoutingError when it is not in the prompt */
export function cutAtFinalMessage({ pieces, areSigns }: RenderedChat): RenderedChat {
  const prompt = pieces.join("");
  const head = headOf(prompt);
  if (areSigns === undefined) return { pieces: [head], areSigns };
  const kept: string[] = [];
  for (let from = 0; from < head.length; from += kept.at(-1)?.length ?? 0) {
    const piece = pieces[kept.length] ?? "";
    kept.push(piece.slice(0, head.length - from));
  }
  return { pieces: kept, areSigns: areSigns.slice(0, kept.length) };
}

/** Where the template trimmed the mark's space it would have trimmed the text, too. */
function headOf(prompt: string): string {
  const at = prompt.lastIndexOf(marker.trim());
  if (at === -1) throw nothingToContinue();
  const head = prompt.slice(0, at);
  return prompt.startsWith(marker, at) ? head : withoutTrailingSpace(head);
}

/** A loop from the end: a pattern anchored there would try every run of spaces in the prompt. */
function withoutTrailingSpace(text: string): string {
  let end = text.length;
  while (end > 0 && /\p{White_Space}/u.test(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

function markedContent(content: JsonValue | undefined): JsonValue | undefined {
  if (typeof content === "string") return content === "" ? undefined : content + marker;
  if (!isList(content)) return undefined;
  const at = content.findLastIndex((part) => textOf(part) !== "");
  const part = content[at];
  if (!(part instanceof JsonObject)) return undefined;
  return content.with(at, withMembers(part, { text: textOf(part) + marker }));
}

/** "" for a part without text. */
function textOf(part: JsonValue): string {
  const text = part instanceof JsonObject && part.get("type") === "text" ? part.get("text") : undefined;
  return typeof text === "string" ? text : "";
}

function nothingToContinue(): RoutingError {
  return new RoutingError("`continue_final_message` needs text in the last message that the template prints", {
    code: "invalid_request",
    field: "continue_final_message",
  });
}
