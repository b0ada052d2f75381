import { EventSearch, jsonOf, type StreamEvent, typeOf } from "../event-search.ts";

/** Notices an error that a worker tells of within its stream, in the form of any of the APIs: the status had gone out before. */
export class ErrorEvents {
  readonly #search = new EventSearch(isError, false);

  /** Whether one ends in this chunk. */
  sees(chunk: Buffer): boolean {
    return this.#search.sees(chunk);
  }
}

function isError({ name, data }: StreamEvent): boolean {
  const type = typeOf(name, data);
  if (type === "error" || type === "response.failed") return true;
  // Most events have none, and need not be parsed.
  if (!data.includes('"error"')) return false;
  const { error } = jsonOf(data);
  return error !== undefined && error !== null;
}
