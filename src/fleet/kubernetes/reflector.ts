import { listOf, memberOf, textOf } from "./fields.ts";
import { type KubeApi, KubeApiError, type KubeQuery, statusError } from "./kube-api.ts";
import type { ReflectorEnvironment, ReflectorOptions } from "./reflector-options.ts";
import { RetryPause } from "./retry-pause.ts";

/** One kind of objects in one namespace. */
export interface Watched<T> {
  /** Plural name for people and logs: `pods`. */
  readonly resource: string;
  /** `/api/v1/namespaces/x/pods` */
  readonly path: string;
  /** `labelSelector` and `fieldSelector`. */
  readonly query: KubeQuery;
  /** What is kept of an object; undefined = it is passed over. Must not throw. */
  readonly read: (object: unknown) => T | undefined;
}

/** Told of what exists, synchronously and in order. */
export interface ReflectorSink<T> {
  /** After a list: these are all there are, by name. */
  replaced(objects: ReadonlyMap<string, T>): void;
  put(name: string, object: T): void;
  removed(name: string): void;
}

/** A watch that was open for so long was no failure, even when nothing happened, ms. */
const stableWatchMs = 5_000;

/** Failures in a row after which a list is read in any case, and a kind that was there is believed to be gone. */
const maxResumes = 3;

/** Codes after which the position in the stream is still right. */
const passingCodes = new Set([429, 500, 502, 503, 504]);

/**
 * Keeps a sink told of all objects of one kind: lists them, then follows the changes, and begins anew where the server no longer has what
 * was missed. While the server cannot be reached, what was known stays. Works from `start` to `close`.
 */
export class Reflector<T> {
  readonly #api: KubeApi;
  readonly #watched: Watched<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #options: ReflectorOptions;
  readonly #environment: ReflectorEnvironment;
  readonly #pause: RetryPause;
  readonly #closing = new AbortController();
  readonly #names = new Set<string>();
  /** Up to where changes are known; undefined = a list has to be read. */
  #version: string | undefined;
  #isLost = false;
  /** The server has listed the kind, and has not been believed since then that it knows none. */
  #isKnown = false;
  #isMissing = false;
  #hasOverflowed = false;
  #running: Promise<void> | undefined;
  readonly #settled = Promise.withResolvers<void>();

  constructor(
    api: KubeApi,
    watched: Watched<T>,
    sink: ReflectorSink<T>,
    options: ReflectorOptions,
    environment: ReflectorEnvironment,
  ) {
    this.#api = api;
    this.#watched = watched;
    this.#sink = sink;
    this.#options = options;
    this.#environment = environment;
    const { reconnectMinMs: minMs, reconnectMaxMs: maxMs } = options;
    this.#pause = new RetryPause({ minMs, maxMs }, environment.random);
  }

  /** Resolves once the objects are known, or it is known that they cannot be: the kind is missing, or may not be read. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Ends the watch. The sink is not told anything after this was called. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const pauseMs = await this.#follow().catch((error: unknown) => this.#failed(error));
      if (pauseMs > 0 && !signal.aborted) await this.#wait(pauseMs);
    }
  }

  /** One list, unless the place in the stream is known, and one watch. @returns the pause before the next one, ms */
  async #follow(): Promise<number> {
    const { now, random } = this.#environment;
    const { signal } = this.#closing;
    this.#version ??= await this.#list();
    const startMs = now();
    // Spread, so that watches that began together do not end together.
    const timeoutSeconds = String(Math.max(1, Math.round((this.#options.watchTimeoutMs * (1 + random())) / 2_000)));
    const query = {
      ...this.#watched.query,
      watch: "true",
      allowWatchBookmarks: "true",
      resourceVersion: this.#version,
      timeoutSeconds,
    };
    for await (const event of this.#api.watch(this.#watched.path, query, signal)) {
      if (signal.aborted) return 0;
      this.#apply(event);
      this.#succeeded();
    }
    // Watches that end as soon as they begin must not make a loop.
    if (now() - startMs < stableWatchMs) return this.#pause.next();
    this.#succeeded();
    return 0;
  }

  /** All pages. @returns the place in the stream from which changes follow */
  async #list(): Promise<string> {
    const { path, query } = this.#watched;
    const { signal } = this.#closing;
    const objects = new Map<string, T>();
    let more: string | undefined;
    let version: string | undefined;
    do {
      const page = { limit: String(this.#options.pageSize), ...(more === undefined ? {} : { continue: more }) };
      const answer = await this.#api.get(path, { ...query, ...page }, signal);
      signal.throwIfAborted();
      for (const object of listOf(memberOf(answer, "items"))) this.#collect(objects, object);
      version = textOf(memberOf(answer, "metadata", "resourceVersion"));
      more = textOf(memberOf(answer, "metadata", "continue"));
    } while (more !== undefined);
    if (version === undefined) throw new KubeApiError(`the list of ${this.#watched.resource} has no resourceVersion`);
    this.#replace(objects);
    this.#isKnown = true;
    this.#isMissing = false;
    return version;
  }

  #collect(objects: Map<string, T>, object: unknown): void {
    const name = nameOf(object);
    const read = this.#watched.read(object);
    if (name === undefined || read === undefined) return;
    if (objects.size >= this.#options.maxObjects && !objects.has(name)) this.#overflow();
    else objects.set(name, read);
  }

  #replace(objects: ReadonlyMap<string, T>): void {
    this.#names.clear();
    for (const name of objects.keys()) this.#names.add(name);
    if (objects.size < this.#options.maxObjects) this.#hasOverflowed = false;
    this.#sink.replaced(objects);
    this.#settled.resolve();
  }

  #apply(event: unknown): void {
    const type = memberOf(event, "type");
    const object = memberOf(event, "object");
    switch (type) {
      case "ADDED":
      case "MODIFIED":
        this.#put(object);
        break;
      case "DELETED":
        this.#remove(nameOf(object));
        break;
      case "BOOKMARK":
        break;
      case "ERROR":
        throw statusError(object, this.#watched.resource);
      default:
        throw new Error(`an event of the watch of ${this.#watched.resource} is not known`);
    }
    this.#version = textOf(memberOf(object, "metadata", "resourceVersion")) ?? this.#version;
  }

  #put(object: unknown): void {
    const name = nameOf(object);
    if (name === undefined) return;
    const read = this.#watched.read(object);
    if (read === undefined) {
      this.#remove(name);
      return;
    }
    if (this.#names.size >= this.#options.maxObjects && !this.#names.has(name)) {
      this.#overflow();
      return;
    }
    this.#names.add(name);
    this.#sink.put(name, read);
  }

  #remove(name: string | undefined): void {
    if (name === undefined || !this.#names.delete(name)) return;
    this.#sink.removed(name);
    // Objects that were passed over may have room: they are only known to a list.
    if (!this.#hasOverflowed) return;
    this.#hasOverflowed = false;
    throw new KubeApiError(`there is room for more ${this.#watched.resource}`, { status: goneCode });
  }

  #overflow(): void {
    if (this.#hasOverflowed) return;
    this.#hasOverflowed = true;
    this.#environment.observer.overflowed(this.#watched.resource, this.#options.maxObjects);
  }

  #succeeded(): void {
    this.#pause.succeeded();
    if (!this.#isLost) return;
    this.#isLost = false;
    this.#environment.observer.recovered(this.#watched.resource);
  }

  /** @returns how long to wait, ms */
  #failed(error: unknown): number {
    if (this.#closing.signal.aborted) return 0;
    const { status, retryAfterMs = 0 } = error instanceof KubeApiError ? error : {};
    if (status === missingCode && this.#isBelievedMissing()) return this.#noneThere();
    if (status === 401 || status === 403) this.#settled.resolve();
    if (!this.#mayResume(error)) this.#version = undefined;
    const { failures } = this.#pause;
    const pauseMs = Math.max(this.#pause.next(), Math.min(retryAfterMs, this.#options.reconnectMaxMs));
    // That the server has forgotten the place is ordinary: nothing is lost by it.
    if (status === goneCode && failures < maxResumes) return failures === 0 ? 0 : pauseMs;
    if (!this.#isLost) {
      this.#isLost = true;
      this.#environment.observer.lost(this.#watched.resource, error, pauseMs);
    }
    return pauseMs;
  }

  /** Without a status nobody answered, and the place in the stream is as good as it was; but not for ever. */
  #mayResume(error: unknown): boolean {
    if (!(error instanceof KubeApiError) || this.#pause.failures >= maxResumes) return false;
    return error.status === undefined || passingCodes.has(error.status);
  }

  /** A server that starts, or a proxy before it, may say so of a kind that is there: all that is known hangs on it, so it has to say it again. */
  #isBelievedMissing(): boolean {
    return !this.#isKnown || this.#pause.failures >= maxResumes;
  }

  /** The kind is not known: there are no objects of it, which is as good an answer as an empty list. */
  #noneThere(): number {
    this.#version = undefined;
    this.#isKnown = false;
    this.#replace(new Map());
    this.#succeeded();
    if (!this.#isMissing) this.#environment.observer.missing(this.#watched.resource);
    this.#isMissing = true;
    return this.#options.missingRetryMs;
  }

  #wait(pauseMs: number): Promise<void> {
    const { signal } = this.#closing;
    return new Promise((resolve) => {
      const cancel = this.#environment.timers.after(pauseMs, () => {
        signal.removeEventListener("abort", end);
        resolve();
      });
      const end = () => {
        cancel();
        resolve();
      };
      signal.addEventListener("abort", end, { once: true });
    });
  }
}

const goneCode = 410;
const missingCode = 404;

function nameOf(object: unknown): string | undefined {
  return textOf(memberOf(object, "metadata", "name"));
}
