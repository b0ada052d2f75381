/** The bytes are not the JSON that was asked for. The message holds no content of the body. */
export class JsonSyntaxError extends Error {
  override readonly name = "JsonSyntaxError";
  /** Byte at which the text stops being valid. */
  readonly offset: number;

  constructor(problem: string, offset: number) {
    super(`${problem} at byte ${offset}`);
    this.offset = offset;
  }
}
