import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { type FileHandle, open, stat, truncate } from "node:fs/promises";

export interface TrafficFileOptions {
  readonly file: string;
  readonly maxBytes: number;
  readonly maxWaitingBytes: number;
}

/** Told of why nothing more can be recorded. */
export type TrafficFailed = (reason: Error | "full") => void;

/** How a line begins that is ours. */
const lineStart = '{"timestamp":';
/** Longest unfinished line that is looked for, in bytes. */
const maxLineBytes = 1_048_576;

/** A file that lines are appended to, without ever waiting for it. */
export class TrafficFile {
  readonly #stream: WriteStream;
  readonly #options: TrafficFileOptions;
  readonly #failed: TrafficFailed;
  #bytes: number;
  #isOver = false;
  /** Lines written, and those left out. */
  readonly lines = { recorded: 0, dropped: 0 };

  private constructor(stream: WriteStream, bytes: number, options: TrafficFileOptions, failed: TrafficFailed) {
    this.#stream = stream;
    this.#bytes = bytes;
    this.#options = options;
    this.#failed = failed;
    stream.on("error", (error) => this.#end(error));
  }

  /**
   * A line that was not written to its end, since the process or the disk failed, is taken out.
   * @param failed told once, when nothing more can be recorded: for an error of the file, or since it is full
   * @throws the file system's error when the file cannot be opened
   */
  static async open(options: TrafficFileOptions, failed: TrafficFailed): Promise<TrafficFile> {
    const stream = createWriteStream(options.file, { flags: "a", mode: 0o600 });
    await once(stream, "open");
    const bytes = await mendedSize(options.file);
    return new TrafficFile(stream, bytes, options, failed);
  }

  /** Appends a line, or leaves it out where the file is full or the disk is slow. */
  append(line: string): void {
    const { maxBytes, maxWaitingBytes } = this.#options;
    const bytes = Buffer.byteLength(line) + 1;
    if (!this.#isOver && this.#bytes + bytes > maxBytes) this.#end("full");
    if (this.#isOver || this.#stream.writableLength + bytes > maxWaitingBytes) {
      this.lines.dropped++;
      return;
    }
    this.#bytes += bytes;
    this.lines.recorded++;
    this.#stream.write(`${line}\n`);
  }

  #end(reason: Error | "full"): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failed(reason);
  }

  /** Resolves when all lines are in the file, or cannot be. */
  async close(): Promise<void> {
    if (!this.#stream.closed) {
      // Not `events.once`: it fails with the stream, which is told of already.
      const closed = new Promise<void>((resolve) => this.#stream.once("close", () => resolve()));
      this.#stream.end();
      await closed;
    }
  }
}

/** Takes out an unfinished last line. @returns the file's length then; 0 for what is no regular file */
async function mendedSize(path: string): Promise<number> {
  const stats = await stat(path);
  if (!stats.isFile()) return 0;
  const file = await open(path);
  let whole: number;
  try {
    whole = await wholeLinesEnd(file, stats.size);
  } finally {
    await file.close();
  }
  // Only where it has to be: a file may be one that can be appended to and nothing else.
  if (whole < stats.size) await truncate(path, whole);
  return whole;
}

/** Where the last line ends that was written whole; a rest that is none of ours counts as one. */
async function wholeLinesEnd(file: FileHandle, size: number): Promise<number> {
  const from = Math.max(0, size - maxLineBytes);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from);
  const rest = buffer.subarray(buffer.lastIndexOf("\n", bytesRead - 1) + 1, bytesRead).toString("latin1");
  return rest.startsWith(lineStart) || lineStart.startsWith(rest) ? size - rest.length : size;
}
