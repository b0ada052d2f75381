import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";

/** An event of a watch with what tests look at. */
export interface SeenEvent {
  readonly type: string;
  readonly object: {
    readonly code?: number;
    readonly metadata: {
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
  };
}

/** Reads a watch line by line. */
export class EventReader {
  readonly #lines: AsyncIterator<string>;
  readonly #stop: AbortController;

  private constructor(lines: AsyncIterator<string>, stop: AbortController) {
    this.#lines = lines;
    this.#stop = stop;
  }

  static async open(url: string): Promise<EventReader> {
    const stop = new AbortController();
    const response = await fetch(url, { signal: stop.signal });
    if (!response.ok || response.body === null) throw new Error(`the watch answered ${response.status}`);
    const input = Readable.fromWeb(response.body as ReadableStream);
    input.on("error", () => undefined);
    return new EventReader(createInterface({ input })[Symbol.asyncIterator](), stop);
  }

  /** The next event; undefined when the watch has ended. */
  async next(): Promise<SeenEvent | undefined> {
    const { value, done } = await this.#lines.next();
    return done === true ? undefined : (JSON.parse(value) as SeenEvent);
  }

  /** `TYPE name` of the next `count` events. */
  async take(count: number): Promise<string[]> {
    const seen: string[] = [];
    while (seen.length < count) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the watch ended after ${seen.join(", ")}`);
      seen.push(`${event.type} ${event.object.metadata.name ?? ""}`.trim());
    }
    return seen;
  }

  close(): void {
    this.#stop.abort();
  }
}
