import type { StreamFormat } from "../../http/index.ts";
import { EventSearch, jsonOf, objectOf, type StreamEvent, typeOf } from "./event-search.ts";

/**
 * Notices the first generated content in a stream of Server-Sent Events, which is when the prompt has been prefilled. Events that come
 * before (a role, `message_start`, `response.created`) tell nothing: engines send them when they like.
 */
export class FirstContent {
  readonly #search: EventSearch;

  constructor(format: StreamFormat) {
    const longIsContent = format !== "responses" && format !== "messages";
    this.#search = new EventSearch(holdsContent[format], longIsContent);
  }

  /** Whether the content begins in this chunk or began before. */
  sees(chunk: Buffer): boolean {
    return this.#search.sees(chunk);
  }
}

const holdsContent: Readonly<Record<StreamFormat, (event: StreamEvent) => boolean>> = {
  chat: ({ data }) => choicesOf(data).some((choice) => hasContent(objectOf(choice)["delta"])),
  completions: ({ data }) => choicesOf(data).some((choice) => isFilled(objectOf(choice)["text"])),
  // Text, reasoning, refusals, arguments of calls: each API type has a delta event of its own.
  responses: ({ name, data }) => /^response\..+\.delta$/.test(typeOf(name, data)),
  messages: ({ name, data }) => typeOf(name, data) === "content_block_delta",
  generate: ({ data }) => {
    const { text, output_ids: ids } = jsonOf(data);
    return isFilled(text) || isFilled(ids);
  },
};

/** Members of a chat delta that the model has generated: all but the role. */
function hasContent(delta: unknown): boolean {
  return Object.entries(objectOf(delta)).some(([name, value]) => name !== "role" && isFilled(value));
}

function isFilled(value: unknown): boolean {
  if (typeof value === "string" || Array.isArray(value)) return value.length > 0;
  return typeof value === "object" && value !== null;
}

function choicesOf(data: string): readonly unknown[] {
  const { choices } = jsonOf(data);
  return Array.isArray(choices) ? choices : [];
}
