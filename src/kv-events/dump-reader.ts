import type { Buffer } from "node:buffer";
import { JsonStreamError, JsonStreamLexer } from "../json/index.ts";
import { type DumpedEvent, DumpParts, type ReadPoint } from "./dump-parts.ts";

/** Text that is no dump, or an event of it over its bound. */
export class DumpSyntaxError extends Error {
  override readonly name = "DumpSyntaxError";
}

/** Most bytes that are read at once: a fraction of a ms. */
const sliceBytes = 16_384;

/** Reads a dump of ours, of Dynamo's indexer, or of its selection service, chunk by chunk. */
export class DumpReader {
  readonly #parts = new DumpParts();
  readonly #lexer = new JsonStreamLexer(this.#parts);

  /** Events passed over: of a shape, tier or residency that is not known. */
  get skippedEvents(): number {
    return this.#parts.skippedEvents;
  }

  /** How far streams were applied, as far as it was read. */
  get points(): readonly ReadPoint[] {
    return this.#parts.points;
  }

  /**
   * The events that end in this chunk, in order. `undefined` comes between two slices of the work, at which it may be left for a
   * while. Throws DumpSyntaxError.
   */
  *read(chunk: Buffer): Generator<DumpedEvent | undefined, void, undefined> {
    for (let from = 0; from < chunk.length; from += sliceBytes) {
      this.#translated(() => this.#lexer.read(chunk.subarray(from, from + sliceBytes)));
      yield* this.#parts.takeEvents();
      yield undefined;
    }
  }

  /** The text is over. Throws DumpSyntaxError when it is not whole. */
  end(): void {
    this.#translated(() => this.#lexer.end());
  }

  #translated(work: () => void): void {
    try {
      work();
    } catch (cause) {
      if (cause instanceof JsonStreamError) throw new DumpSyntaxError(cause.message, { cause });
      throw cause;
    }
  }
}
