import { type ApiError, type StreamFormat, streamErrorEvent } from "../../http/index.ts";

/** Text by which a whole stream ends, by format; it stands in the last bytes that came. */
const ends: Readonly<Record<StreamFormat, RegExp>> = {
  chat: /(^|\n)data: ?\[DONE\]\s*$/,
  completions: /(^|\n)data: ?\[DONE\]\s*$/,
  generate: /(^|\n)data: ?\[DONE\]\s*$/,
  messages: /"type": ?"message_stop"/,
  responses: /"type": ?"response\.(completed|incomplete|failed)"/,
};

/** Last bytes of a stream that are kept. */
const keptBytes = 4_096;

/** The end of a stream: whether it is all there, and what is said when it is not. */
export class StreamEnd {
  readonly #format: StreamFormat;
  #last: Buffer = Buffer.alloc(0);

  constructor(format: StreamFormat) {
    this.#format = format;
  }

  /** The client was sent these whole events. */
  sent(chunk: Buffer): void {
    this.#last = chunk;
  }

  /** Whether the client has got everything that belongs to its answer. */
  get isWhole(): boolean {
    if (this.#format !== "responses") return ends[this.#format].test(this.#tail());
    // The last event repeats the whole output: its name stands at its beginning.
    return (
      /(^|\n)event: ?response\.(completed|incomplete|failed)\n[^\n]*\n\n$/.test(this.#last.toString("latin1")) ||
      ends.responses.test(this.#tail())
    );
  }

  /** An event that tells of the error in the API's own words, and the end of the stream. */
  errorEvent(error: ApiError): string {
    return streamErrorEvent(this.#format, error, () => this.#nextNumber());
  }

  /** Events of a Responses stream are numbered. */
  #nextNumber(): number {
    const numbers = [...this.#tail().matchAll(/"sequence_number": ?(\d{1,15})/g)];
    return Number(numbers.at(-1)?.[1] ?? -1) + 1;
  }

  #tail(): string {
    return this.#last.subarray(-keptBytes).toString("latin1");
  }
}
