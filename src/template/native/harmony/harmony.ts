import { formatTime } from "../../functions/strftime.ts";
import { wallClock } from "../../functions/wall-clock.ts";
import { translated } from "../../translated.ts";
import type { NativePieces } from "../native-renderer.ts";
import type { HarmonyConversation, HarmonyHeader, HarmonyMessage } from "./conversation.ts";
import { developerText, systemText } from "./sections.ts";

export interface HarmonyOptions {
  readonly header: HarmonyHeader;
  /** Whose date the system message has: an IANA name. Default: that of the process, as servers have it. */
  readonly timeZone?: string | undefined;
}

/**
 * Renders Harmony conversations, each with the start of an assistant's turn (openai-harmony@0.0.8 src/encoding.rs). Signs are tokens, all else
 * is text whatever it looks like; each piece is tokenized for itself. What it gives throws UnsupportedTemplateError.
 */
export function harmonyRenderer({
  header,
  timeZone,
}: HarmonyOptions): (conversation: HarmonyConversation, instant: Date) => NativePieces {
  const clock = wallClock(timeZone);
  return (conversation, instant) => {
    try {
      return rendered(conversation, new HarmonyWriter(header), formatTime(clock(instant), "%Y-%m-%d"));
    } catch (cause) {
      throw translated(cause);
    }
  };
}

function rendered(conversation: HarmonyConversation, writer: HarmonyWriter, date: string): NativePieces {
  const { developer, messages } = conversation;
  writer.message({ author: "system", contents: [systemText(conversation, date)] });
  if (developer !== undefined) writer.message({ author: "developer", contents: [developerText(developer)] });
  for (const message of messages) writer.message(message);
  return writer.turn("assistant");
}

class HarmonyWriter {
  readonly #header: HarmonyHeader;
  readonly #pieces: string[] = [];
  readonly #areSigns: boolean[] = [];

  constructor(header: HarmonyHeader) {
    this.#header = header;
  }

  message({ author, recipient, channel, contentType, contents }: HarmonyMessage): void {
    const isCall = author === "assistant" && recipient !== undefined;
    const isBehind = this.#header === "channel-first" && !isCall && channel !== undefined;
    const to = recipient === undefined || recipient === "all" ? "" : ` to=${recipient}`;
    this.#sign("<|start|>");
    this.#text(author);
    if (!isBehind) this.#text(to);
    if (channel !== undefined) {
      this.#sign("<|channel|>");
      this.#text(channel);
    }
    if (isBehind) this.#text(to);
    if (contentType !== undefined) this.#text(` ${contentType}`);
    this.#sign("<|message|>");
    for (const content of contents) this.#text(content);
    this.#sign(isCall ? "<|call|>" : "<|end|>");
  }

  /** All pieces, with the start of another turn. */
  turn(author: string): NativePieces {
    this.#sign("<|start|>");
    this.#text(author);
    return { pieces: this.#pieces, areSigns: this.#areSigns };
  }

  #sign(text: string): void {
    this.#pieces.push(text);
    this.#areSigns.push(true);
  }

  #text(text: string): void {
    if (text === "") return;
    this.#pieces.push(text);
    this.#areSigns.push(false);
  }
}
