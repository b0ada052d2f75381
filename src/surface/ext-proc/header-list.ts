import { Buffer } from "node:buffer";
import type { PickRequestHeaders } from "./pick-router.ts";
import type { HeaderMap, HeaderValue } from "./processing-messages.ts";
import type { ProtobufReader } from "./protobuf-reader.ts";

/** Numbers of one header in `#spans`: where its name begins and ends, then its value. */
const SPAN = 4;

/**
 * Headers of one message, kept as bytes: names are compared and values decoded when they are asked for. Of a dozen headers a pick
 * looks at four (bench/ext-proc).
 */
export class HeaderList implements PickRequestHeaders, HeaderMap {
  static readonly none = new HeaderList(Buffer.alloc(0), []);

  readonly #bytes: Buffer;
  readonly #spans: readonly number[];

  private constructor(bytes: Buffer, spans: readonly number[]) {
    this.#bytes = bytes;
    this.#spans = spans;
  }

  /** Reads a HeaderMap. Its bytes are copied, those of the message are not kept. @throws WireFormatError */
  static read(reader: ProtobufReader): HeaderList {
    const spans: number[] = [];
    let base = -1;
    let end = 0;
    while (reader.next()) {
      if (reader.field !== 1) continue;
      const header = reader.message();
      if (base < 0) base = reader.start;
      end = reader.end;
      readHeader(header, base, spans);
    }
    return base < 0 ? HeaderList.none : new HeaderList(Buffer.from(reader.bytes.subarray(base, end)), spans);
  }

  /** The list of any map, which may be one already. */
  static of(map: HeaderMap | undefined): HeaderList {
    if (map instanceof HeaderList) return map;
    const parts: Buffer[] = [];
    const spans: number[] = [];
    let at = 0;
    const add = (part: Buffer) => {
      parts.push(part);
      spans.push(at, at + part.length);
      at += part.length;
    };
    for (const { key = "", value = "", raw_value } of map?.headers ?? []) {
      add(Buffer.from(key));
      add(raw_value ?? Buffer.from(value));
    }
    return new HeaderList(Buffer.concat(parts), spans);
  }

  get headers(): readonly HeaderValue[] {
    const headers: HeaderValue[] = [];
    for (let at = 0; at < this.#spans.length; at += SPAN) {
      headers.push({ key: this.#text(at), raw_value: this.#bytes.subarray(this.#spans[at + 2], this.#spans[at + 3]) });
    }
    return headers;
  }

  has(lowerName: string): boolean {
    return this.#find(lowerName, 0) >= 0;
  }

  get(lowerName: string): string | undefined {
    const at = this.#find(lowerName, 0);
    return at < 0 ? undefined : this.#text(at + 2);
  }

  getAll(lowerName: string): readonly string[] {
    const values: string[] = [];
    for (let at = this.#find(lowerName, 0); at >= 0; at = this.#find(lowerName, at + SPAN)) {
      values.push(this.#text(at + 2));
    }
    return values;
  }

  /** Lower-case names that begin with `prefix`, in order of arrival, duplicates kept. */
  namesFrom(lowerPrefix: string): readonly string[] {
    const names: string[] = [];
    for (let at = 0; at < this.#spans.length; at += SPAN) {
      if (this.#begins(at, lowerPrefix)) names.push(this.#text(at).toLowerCase());
    }
    return names;
  }

  /** Index in `#spans` of the first header of that name at or after `from`; -1 without one. */
  #find(lowerName: string, from: number): number {
    for (let at = from; at < this.#spans.length; at += SPAN) {
      if (this.#length(at) === lowerName.length && this.#begins(at, lowerName)) return at;
    }
    return -1;
  }

  #begins(at: number, lowerPrefix: string): boolean {
    if (this.#length(at) < lowerPrefix.length) return false;
    const start = this.#spans[at] as number;
    for (let index = 0; index < lowerPrefix.length; index++) {
      if (lowerCase(this.#bytes[start + index] as number) !== lowerPrefix.charCodeAt(index)) return false;
    }
    return true;
  }

  #length(at: number): number {
    return (this.#spans[at + 1] as number) - (this.#spans[at] as number);
  }

  /** Bytes that are not UTF-8 become U+FFFD, as in dynamo@1.6.1's picker. */
  #text(at: number): string {
    return this.#bytes.toString("utf8", this.#spans[at], this.#spans[at + 1]);
  }
}

/** Adds the four numbers of a header: `value`, or `raw_value` where there is one. */
function readHeader(reader: ProtobufReader, base: number, spans: number[]): void {
  let nameStart = base;
  let nameEnd = base;
  let valueStart = base;
  let valueEnd = base;
  let isRaw = false;
  while (reader.next()) {
    if (reader.field === 1) {
      reader.span();
      nameStart = reader.start;
      nameEnd = reader.end;
    } else if (reader.field === 3 || (reader.field === 2 && !isRaw)) {
      isRaw = reader.field === 3;
      reader.span();
      valueStart = reader.start;
      valueEnd = reader.end;
    }
  }
  spans.push(nameStart - base, nameEnd - base, valueStart - base, valueEnd - base);
}

function lowerCase(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
}

/** The announced length of the body in bytes; undefined when there is none or it is no number. */
export function contentLength(headers: HeaderList): number | undefined {
  const value = headers.get("content-length");
  return value !== undefined && /^\d{1,15}$/.test(value) ? Number(value) : undefined;
}
