import type { ChatMessage } from "../chat/messages.ts";

interface ToolCall {
  readonly id: string;
  readonly type: "function";
  readonly function: { readonly name: string; readonly arguments: string };
}

/** Gathers the items of one assistant turn, which chat holds in one message. */
export class PendingAssistant {
  #isTouched = false;
  #text = "";
  #reasoning = "";
  readonly #segments: string[] = [];
  readonly #calls: ToolCall[] = [];

  addText(text: string): void {
    this.#isTouched = true;
    this.#text += text;
  }

  addReasoning(text: string): void {
    this.#isTouched = true;
    this.#reasoning += text;
  }

  /** The reasoning so far becomes the segment before this call. */
  addCall(id: string, name: string, args: string): void {
    this.#isTouched = true;
    this.#segments.push(this.#reasoning);
    this.#reasoning = "";
    this.#calls.push({ id, type: "function", function: { name, arguments: args } });
  }

  /**
   * The turn as a message; undefined when no item belongs to it. Text is absent only beside calls: an empty turn keeps its
   * place with "". Reasoning is a list of segments (one before each call, one after the last) when there are calls.
   */
  toMessage(): ChatMessage | undefined {
    if (!this.#isTouched) return undefined;
    const segments = [...this.#segments, this.#reasoning];
    const reasoning = segments.join("");
    const hasCalls = this.#calls.length > 0;
    const message = {
      role: "assistant",
      content: this.#text === "" && hasCalls ? undefined : this.#text,
      reasoning_content: reasoning === "" ? undefined : hasCalls ? segments : reasoning,
      tool_calls: hasCalls ? this.#calls : undefined,
    };
    return message;
  }
}
