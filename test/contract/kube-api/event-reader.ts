import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { until } from "../../e2e/support/until.ts";
import type { KubeClient } from "../../support/kube-api/index.ts";

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
  readonly #body: Readable;

  private constructor(body: Readable) {
    this.#body = body;
    body.on("error", () => undefined);
    this.#lines = createInterface({ input: body })[Symbol.asyncIterator]();
  }

  /** Waits while the server asks for patience, as one does that has known the kind of objects for a second only. @param path with its query */
  static async open(client: KubeClient, path: string): Promise<EventReader> {
    return await until(
      async () => {
        const { statusCode, body } = await client.request("GET", path);
        if (statusCode === 200) return new EventReader(body);
        throw new Error(`the watch answered ${statusCode}: ${await body.text()}`);
      },
      { what: "a watch", intervalMs: 200 },
    );
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
    this.#body.destroy();
  }
}
