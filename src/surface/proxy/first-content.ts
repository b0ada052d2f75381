import type { StreamFormat } from "../../http/index.ts";

const LF = 0x0a;
const noBytes: Buffer = Buffer.alloc(0);

/** Longest event that is looked into, in bytes. Deltas are far shorter; a Responses stream begins with an echo of the whole request. */
const maxEventBytes = 16_384;

/**
 * Notices the first generated content in a stream of Server-Sent Events, which is when the prompt has been prefilled. Events that come
 * before (a role, `message_start`, `response.created`) tell nothing: engines send them when they like.
 */
export class FirstContent {
  readonly #holdsContent: (event: StreamEvent) => boolean;
  readonly #longIsContent: boolean;
  #line = noBytes;
  #isLineTooLong = false;
  #event = "";

  constructor(format: StreamFormat) {
    this.#holdsContent = holdsContent[format];
    this.#longIsContent = format !== "responses" && format !== "messages";
  }

  /** Whether the content begins in this chunk or began before. */
  sees(chunk: Buffer): boolean {
    let start = 0;
    for (let end = chunk.indexOf(LF); end >= 0; end = chunk.indexOf(LF, start)) {
      if (this.#endLine(chunk.subarray(start, end))) return true;
      start = end + 1;
    }
    this.#keep(chunk.subarray(start));
    return false;
  }

  #keep(part: Buffer): void {
    if (part.length === 0 || this.#isLineTooLong) return;
    this.#isLineTooLong = this.#line.length + part.length > maxEventBytes;
    this.#line = this.#isLineTooLong ? noBytes : Buffer.concat([this.#line, part]);
  }

  #endLine(rest: Buffer): boolean {
    const isTooLong = this.#isLineTooLong || this.#line.length + rest.length > maxEventBytes;
    const line = isTooLong ? noBytes : this.#line.length === 0 ? rest : Buffer.concat([this.#line, rest]);
    this.#line = noBytes;
    this.#isLineTooLong = false;
    if (isTooLong) return this.#longIsContent;
    return this.#takeLine(line.toString("utf8").trimEnd());
  }

  #takeLine(line: string): boolean {
    if (line === "") this.#event = "";
    else if (line.startsWith("event:")) this.#event = line.slice(6).trim();
    else if (line.startsWith("data:")) return this.#holdsContent({ name: this.#event, data: line.slice(5).trim() });
    return false;
  }
}

interface StreamEvent {
  /** Of its `event:` line; "" = it has none. */
  readonly name: string;
  readonly data: string;
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

function typeOf(name: string, data: string): string {
  if (name !== "") return name;
  const { type } = jsonOf(data);
  return typeof type === "string" ? type : "";
}

function jsonOf(data: string): Readonly<Record<string, unknown>> {
  if (!data.startsWith("{")) return {};
  try {
    return objectOf(JSON.parse(data));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
