const LF = 0x0a;
const noBytes: Buffer = Buffer.alloc(0);

/** Longest event that is looked into, in bytes. Deltas are far shorter; a Responses stream begins with an echo of the whole request. */
const maxEventBytes = 16_384;

/** One Server-Sent Event. */
export interface StreamEvent {
  /** Of its `event:` line; "" = it has none. */
  readonly name: string;
  readonly data: string;
}

/** Looks for an event in a stream of Server-Sent Events, however its bytes are cut. */
export class EventSearch {
  readonly #isSought: (event: StreamEvent) => boolean;
  readonly #isLongSought: boolean;
  #line = noBytes;
  #isLineTooLong = false;
  #event = "";

  /** @param isLongSought what an event counts as that is too long to be looked into */
  constructor(isSought: (event: StreamEvent) => boolean, isLongSought: boolean) {
    this.#isSought = isSought;
    this.#isLongSought = isLongSought;
  }

  /** Whether such an event ends in this chunk. */
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
    if (isTooLong) return this.#isLongSought;
    return this.#takeLine(line.toString("utf8").trimEnd());
  }

  #takeLine(line: string): boolean {
    if (line === "") this.#event = "";
    else if (line.startsWith("event:")) this.#event = line.slice(6).trim();
    else if (line.startsWith("data:")) return this.#isSought({ name: this.#event, data: line.slice(5).trim() });
    return false;
  }
}

/** The event's type, which some APIs write in its data alone. */
export function typeOf(name: string, data: string): string {
  if (name !== "") return name;
  const { type } = jsonOf(data);
  return typeof type === "string" ? type : "";
}

export function jsonOf(data: string): Readonly<Record<string, unknown>> {
  if (!data.startsWith("{")) return {};
  try {
    return objectOf(JSON.parse(data));
  } catch {
    return {};
  }
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}
