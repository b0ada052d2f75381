/** Longest id that is remembered, in characters. */
const maxIdLength = 256;

/** Which worker made which answer of the Responses API: engines keep them, and only theirs. */
export class ResponseOwners {
  readonly #maxResponses: number;
  /** Endpoints by id, oldest first. */
  readonly #byId = new Map<string, string>();

  constructor(maxResponses: number) {
    this.#maxResponses = maxResponses;
  }

  get size(): number {
    return this.#byId.size;
  }

  /** The endpoint of the worker; undefined = not known. */
  ownerOf(id: string): string | undefined {
    return this.#byId.get(id);
  }

  made(id: string, endpoint: string): void {
    if (this.#maxResponses === 0 || id.length > maxIdLength) return;
    this.#byId.delete(id);
    this.#byId.set(id, endpoint);
    if (this.#byId.size <= this.#maxResponses) return;
    const [oldest] = this.#byId.keys();
    if (oldest !== undefined) this.#byId.delete(oldest);
  }

  forget(id: string): void {
    this.#byId.delete(id);
  }
}
