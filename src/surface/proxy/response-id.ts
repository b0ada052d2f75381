/** Leading bytes of an answer in which its id is looked for. */
const searchedBytes = 65_536;

const idMember = /"id"\s*:\s*"(resp[^"\\]{1,256})"/;

/** Finds the id of an answer of the Responses API, JSON or stream, as it passes: engines write it before anything of the output. */
export class ResponseId {
  #head = "";
  #id: string | undefined;
  #isOver = false;

  /** Undefined = none was found. */
  get id(): string | undefined {
    return this.#id;
  }

  scan(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#head += chunk.toString("latin1", 0, searchedBytes - this.#head.length);
    this.#id = idMember.exec(this.#head)?.[1];
    this.#isOver = this.#id !== undefined || this.#head.length >= searchedBytes;
    if (this.#isOver) this.#head = "";
  }
}
