/** Longest line in bytes. A request of millions of tokens is shorter; a file without newlines is no file of lines. */
const longestLineBytes = 67_108_864;
const newline = 0x0a;

/** A line that is longer than lines may be. */
export class LineError extends Error {
  override readonly name = "LineError";

  /** @param line its number, from 1 */
  constructor(line: number, maxBytes: number) {
    super(`line ${line}: longer than ${maxBytes} bytes`);
  }
}

/**
 * Lines of a byte stream, split at `\n` alone: JSON text may hold U+2028, at which `node:readline` splits too.
 * @throws LineError for one that is longer than `maxBytes`, before more of it is read
 */
export async function* lines(
  input: AsyncIterable<Buffer | string>,
  maxBytes = longestLineBytes,
): AsyncGenerator<string> {
  const open = new OpenLine(maxBytes);
  for await (const chunk of input) {
    const bytes = typeof chunk === "string" ? Buffer.from(chunk) : chunk;
    let start = 0;
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      open.add(bytes.subarray(start, end));
      yield open.close();
      start = end + 1;
    }
    open.add(bytes.subarray(start));
  }
  yield open.close();
}

/** The line whose end is not there yet, in the pieces that it came in: they are joined once. */
class OpenLine {
  readonly #maxBytes: number;
  #number = 1;
  #pieces: Buffer[] = [];
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws LineError */
  add(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) throw new LineError(this.#number, this.#maxBytes);
    if (piece.length > 0) this.#pieces.push(piece);
  }

  close(): string {
    const [first] = this.#pieces;
    const line = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces, this.#bytes);
    this.#pieces = [];
    this.#bytes = 0;
    this.#number++;
    return line.toString("utf8");
  }
}
