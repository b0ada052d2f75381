import { JsonObject } from "../json/index.ts";
import { isList } from "./messages.ts";

/** New messages of a turn stand last; more of them are copied. */
const maxMessages = 16;

/**
 * The content of one of the last messages of a body that is equal to `text`: a string that was made when the body was read, and so owns its
 * characters.
 * @param root the body
 */
export function textInBody(root: JsonObject, text: string): string | undefined {
  const messages = root.get("messages");
  if (!isList(messages)) return undefined;
  for (let at = messages.length - 1; at >= 0 && at >= messages.length - maxMessages; at--) {
    const message = messages[at];
    const content = message instanceof JsonObject ? message.get("content") : undefined;
    if (content === text) return content;
  }
  return undefined;
}
