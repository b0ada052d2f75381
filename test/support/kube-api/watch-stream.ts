import type { ServerResponse } from "node:http";
import type { KubeObject } from "./kube-object.ts";
import { type RequestTarget, versionOf } from "./request-target.ts";
import { apiVersionOf } from "./resource-kinds.ts";
import { expired, type StatusError } from "./statuses.ts";
import { type Change, type VersionedStore, versioned } from "./versioned-store.ts";

/** How a watch is cut: between events, in the middle of a line, without a word at all, or after a line that no API server writes. */
export type WatchCut = "end" | "mid-line" | "reset" | "garbage";

/** One client that watches a collection: a line of JSON for each event. */
export class WatchStream {
  readonly target: RequestTarget;
  readonly #store: VersionedStore;
  readonly #response: ServerResponse;
  readonly #unsubscribe: () => void;
  readonly #held: string[] = [];
  readonly #timeout: NodeJS.Timeout | undefined;
  #isHeld: boolean;

  /** Starts from the version in the query; without one from the present state, which is told as created. */
  constructor(target: RequestTarget, store: VersionedStore, response: ServerResponse, isHeld = false) {
    this.#isHeld = isHeld;
    this.target = target;
    this.#store = store;
    this.#response = response;
    response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
    response.flushHeaders();
    this.#unsubscribe = store.subscribe((change) => this.#tell(change));
    response.on("close", () => this.#close());
    const timeoutSeconds = Number(target.query.get("timeoutSeconds") ?? 0);
    this.#timeout = timeoutSeconds > 0 ? setTimeout(() => this.cut("end"), timeoutSeconds * 1_000) : undefined;
    this.#tellPast();
  }

  /** Tells the version that all events so far lead to, if the client asked for such marks. */
  bookmark(annotations?: Readonly<Record<string, string>>): void {
    const { kind, query } = this.target;
    if (query.get("allowWatchBookmarks") !== "true") return;
    const metadata = {
      resourceVersion: `${this.#store.version}`,
      ...(annotations === undefined ? {} : { annotations }),
    };
    this.#write({ type: "BOOKMARK", object: { kind: kind.kind, apiVersion: apiVersionOf(kind), metadata } });
  }

  /** Tells that its version is too old, in an event, and ends. */
  expire(): void {
    const status = expired(this.#store.oldest - 1, this.#store.oldest);
    this.#fail(status);
  }

  cut(how: WatchCut): void {
    if (how === "end") {
      this.#response.end();
    } else {
      if (how === "mid-line") this.#response.write('{"type":"MODIFIED","object":{"kind":"');
      if (how === "garbage") this.#response.write("<html>Bad Gateway</html>\n");
      // What was written is sent before the connection goes.
      setImmediate(() => this.#response.destroy());
    }
  }

  /** Events wait, as on a network that is stuck, until `release`. */
  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const line of this.#held.splice(0)) if (!this.#isOver) this.#response.write(line);
  }

  #tellPast(): void {
    const { kind, selects, query } = this.target;
    const version = versionOf(query) ?? 0;
    if (version !== 0 && query.get("sendInitialEvents") !== "true") {
      const changes = this.#store.since(version);
      if (changes === undefined) this.#fail(expired(version, this.#store.oldest));
      else for (const change of changes) this.#tell(change);
      return;
    }
    for (const object of this.#store.list(kind).filter(selects)) this.#write({ type: "ADDED", object });
    if (query.get("sendInitialEvents") === "true") this.bookmark({ "k8s.io/initial-events-end": "true" });
  }

  #tell({ kind, version, before, after }: Change): void {
    if (kind !== this.target.kind) return;
    const { selects } = this.target;
    const wasSeen = before !== undefined && selects(before);
    const isSeen = after !== undefined && selects(after);
    if (isSeen) this.#write({ type: wasSeen ? "MODIFIED" : "ADDED", object: after });
    // As it was last selected, at the version of the change.
    else if (wasSeen) this.#write({ type: "DELETED", object: versioned(before, version) });
  }

  #fail(status: StatusError): void {
    this.#write({ type: "ERROR", object: status.body });
    this.#response.end();
  }

  #write(event: { readonly type: string; readonly object: KubeObject | object }): void {
    if (this.#isOver) return;
    const line = `${JSON.stringify(event)}\n`;
    if (this.#isHeld) this.#held.push(line);
    else this.#response.write(line);
  }

  get #isOver(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  #close(): void {
    this.#unsubscribe();
    clearTimeout(this.#timeout);
  }
}
