import type { ReplayFormat } from "../queue-paths.ts";
import { chatEvents, completionEvents } from "./chat-events.ts";
import { type Members, membersOf } from "./json-parts.ts";
import { messagesEvents } from "./messages-events.ts";
import { responsesEvents } from "./responses-events.ts";

/** What each kind of answer has in its own form; another text is no answer of that API. */
const marks: Readonly<Record<ReplayFormat, string>> = {
  chat: "choices",
  completions: "choices",
  messages: "content",
  responses: "output",
};

/**
 * A finished answer as the events by which its API would have streamed it; each a text with an empty line at its end. Undefined when the
 * answer is none of that API's.
 * @param body JSON of the answer
 * @param includesUsage whether chat and completions tell of token counts at the end
 */
export function replayEvents(format: ReplayFormat, body: string, includesUsage: boolean): Iterable<string> | undefined {
  const answer = parsed(body);
  if (!Array.isArray(answer[marks[format]])) return undefined;
  switch (format) {
    case "chat":
      return chatEvents(answer, includesUsage);
    case "completions":
      return completionEvents(answer, includesUsage);
    case "messages":
      return messagesEvents(answer);
    case "responses":
      return responsesEvents(answer);
  }
}

function parsed(text: string): Members {
  try {
    return membersOf(JSON.parse(text));
  } catch {
    return {};
  }
}
