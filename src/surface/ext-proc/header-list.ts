import type { PickRequestHeaders } from "./pick-router.ts";
import type { HeaderMap, HeaderValue } from "./processing-messages.ts";

/** Headers of one message, read where they lie: a value is decoded when it is asked for. */
export class HeaderList implements PickRequestHeaders {
  /** Lower-case names in order of arrival, duplicates kept. */
  readonly names: readonly string[];
  readonly #headers: readonly HeaderValue[];

  constructor(map: HeaderMap | undefined) {
    this.#headers = map?.headers ?? [];
    this.names = this.#headers.map((header) => (header.key ?? "").toLowerCase());
  }

  get(lowerName: string): string | undefined {
    const header = this.#headers[this.names.indexOf(lowerName)];
    return header === undefined ? undefined : decodeValue(header);
  }

  getAll(lowerName: string): readonly string[] {
    return this.#headers.filter((_, index) => this.names[index] === lowerName).map(decodeValue);
  }
}

/** Bytes that are not UTF-8 become U+FFFD, as in dynamo@1.6.1's picker. */
function decodeValue(header: HeaderValue): string {
  return header.raw_value === undefined ? (header.value ?? "") : header.raw_value.toString();
}
