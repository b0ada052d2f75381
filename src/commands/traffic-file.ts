import { once } from "node:events";
import { createWriteStream, type WriteStream } from "node:fs";
import { stat } from "node:fs/promises";

export interface TrafficFileOptions {
  readonly file: string;
  readonly maxBytes: number;
  readonly maxWaitingBytes: number;
}

/** Told of why nothing more can be recorded. */
export type TrafficFailed = (reason: Error | "full") => void;

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
   * @param failed told once, when nothing more can be recorded: for an error of the file, or since it is full
   * @throws the file system's error when the file cannot be opened
   */
  static async open(options: TrafficFileOptions, failed: TrafficFailed): Promise<TrafficFile> {
    const stream = createWriteStream(options.file, { flags: "a", mode: 0o600 });
    await once(stream, "open");
    const { size } = await stat(options.file);
    return new TrafficFile(stream, size, options, failed);
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
