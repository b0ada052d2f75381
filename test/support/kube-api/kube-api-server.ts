import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { json } from "node:stream/consumers";
import { act, type Verb } from "./actions.ts";
import { ListPages } from "./list-pages.ts";
import { discovery, forbidden, type RequestTarget, requestTarget } from "./request-target.ts";
import { type ResourceKind, resourceKinds } from "./resource-kinds.ts";
import { badRequest, StatusError } from "./statuses.ts";
import { VersionedStore } from "./versioned-store.ts";
import { type WatchCut, WatchStream } from "./watch-stream.ts";

/** A request that was served or refused. */
export interface SeenRequest {
  readonly verb: Verb;
  readonly kind: ResourceKind;
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
  /** 200, or the code it was refused with for want of a right or by a fault. */
  readonly status: number;
}

export interface KubeApiOptions {
  /** Changes that a watch can go back. Default 1,000. */
  readonly keptChanges?: number;
  /** Requests need `authorization: Bearer <token>`. Default: none. */
  readonly token?: string;
  /** CRDs of these kinds are not installed. Default: none of them. */
  readonly missing?: readonly ResourceKind[];
}

/** A fault: the next requests of a verb (and kind) are answered with a failure. */
export interface RequestFault {
  readonly verb?: Verb;
  readonly kind?: ResourceKind;
  readonly error: StatusError;
  /** Default 1. */
  readonly times?: number;
}

const maxSeenRequests = 10_000;

/**
 * The part of a Kubernetes API server that discovery talks to, over plain HTTP on the loopback address: collections of pods and of the inference
 * extension's kinds, with their versions and watches, and with the faults that networks and clusters have.
 */
export class KubeApiServer {
  /** Requests need it from here on, unless it is undefined. */
  token: string | undefined;
  readonly #watches = new Set<WatchStream>();
  readonly #sockets = new Set<Socket>();
  readonly #missing: Set<ResourceKind>;
  readonly #forbidden = new Set<string>();
  readonly #seen: SeenRequest[] = [];
  readonly #faults: { fault: RequestFault; left: number }[] = [];
  readonly store: VersionedStore;
  readonly #lists: ListPages;
  #server: Server | undefined;
  #port = 0;
  #heldRequests: (() => void)[] | undefined;
  #isHoldingWatches = false;

  private constructor(options: KubeApiOptions) {
    this.token = options.token;
    this.store = new VersionedStore(options.keptChanges);
    this.#lists = new ListPages(this.store);
    this.#missing = new Set(options.missing);
  }

  static async start(options: KubeApiOptions = {}): Promise<KubeApiServer> {
    const server = new KubeApiServer(options);
    await server.#listen(0);
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** Resource requests so far, oldest first, also refused ones. */
  get requests(): readonly SeenRequest[] {
    return this.#seen;
  }

  /** Open watches. */
  watches(kind?: ResourceKind): readonly WatchStream[] {
    return [...this.#watches].filter(({ target }) => kind === undefined || target.kind === kind);
  }

  /** Ends open watches. @param kind default: all */
  dropWatches(how: WatchCut, kind?: ResourceKind): void {
    for (const watch of this.watches(kind)) watch.cut(how);
  }

  /** Open watches are told `410 Gone` in an event and end; so is whoever asks for an older state than the present one. */
  expireWatches(kind?: ResourceKind): void {
    this.store.compact();
    for (const watch of this.watches(kind)) watch.expire();
  }

  bookmark(kind?: ResourceKind): void {
    for (const watch of this.watches(kind)) watch.bookmark();
  }

  /** Watches, also new ones, hear nothing until `releaseWatches`. */
  holdWatches(): void {
    this.#isHoldingWatches = true;
    for (const watch of this.#watches) watch.hold();
  }

  releaseWatches(): void {
    this.#isHoldingWatches = false;
    for (const watch of this.#watches) watch.release();
  }

  /** Requests wait for their answer until `releaseRequests`; open watches go on. */
  holdRequests(): void {
    this.#heldRequests ??= [];
  }

  releaseRequests(): void {
    const held = this.#heldRequests ?? [];
    this.#heldRequests = undefined;
    for (const go of held) go();
  }

  /** As a missing rule in the client's Role. Open watches go on, as they do in a cluster. */
  forbid(kind: ResourceKind, ...verbs: readonly Verb[]): void {
    for (const verb of verbs) this.#forbidden.add(keyOf(kind, verb));
  }

  allow(kind: ResourceKind, ...verbs: readonly Verb[]): void {
    for (const verb of verbs) this.#forbidden.delete(keyOf(kind, verb));
  }

  /** Its CRD is deleted, and with it all objects. */
  uninstall(kind: ResourceKind): void {
    for (const { metadata } of this.store.list(kind)) this.store.delete(kind, metadata.namespace, metadata.name);
    this.#missing.add(kind);
    this.dropWatches("end", kind);
  }

  install(kind: ResourceKind): void {
    this.#missing.delete(kind);
  }

  fail(fault: RequestFault): void {
    this.#faults.push({ fault, left: fault.times ?? 1 });
  }

  /** Ends all connections and listens no more; the objects stay. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Listens again on its port, with no memory of past changes, as a server whose watch cache is new. */
  async restart(): Promise<void> {
    this.store.compact();
    await this.#listen(this.#port);
  }

  async #listen(port: number): Promise<void> {
    this.#server = createServer((request, response) => void this.#serve(request, response));
    this.#server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve, reject) => {
      this.#server?.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    const address = this.#server.address();
    if (typeof address === "object" && address !== null) this.#port = address.port;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      if (this.#heldRequests !== undefined) await new Promise<void>((go) => this.#heldRequests?.push(go));
      await this.#answer(request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else if (error instanceof StatusError) sendStatus(response, error);
      else sendStatus(response, new StatusError(String(error), { code: 500, reason: "InternalError" }));
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.token !== undefined && request.headers.authorization !== `Bearer ${this.token}`) {
      throw new StatusError("Unauthorized", { code: 401, reason: "Unauthorized" });
    }
    const url = new URL(request.url ?? "/", this.url);
    const served = resourceKinds.filter((kind) => !this.#missing.has(kind));
    const page = discovery(url.pathname, served);
    if (page !== undefined) return sendJson(response, 200, page);
    const target = requestTarget(url);
    if (target === undefined || !served.includes(target.kind)) {
      response.writeHead(404, { "content-type": "text/plain; charset=utf-8" }).end("404 page not found\n");
      return;
    }
    const verb = verbOf(request.method ?? "GET", target);
    const seen = { verb, kind: target.kind, namespace: target.namespace, query: target.query };
    try {
      this.#refuse(verb, target);
      this.#note({ ...seen, status: 200 });
    } catch (error) {
      this.#note({ ...seen, status: error instanceof StatusError ? error.code : 500 });
      throw error;
    }
    if (verb === "watch") return this.#watch(target, response);
    const [status, body] = act(this.store, this.#lists, { verb, target, body: await bodyOf(request) });
    sendJson(response, status, body);
  }

  #refuse(verb: Verb, target: RequestTarget): void {
    if (this.#forbidden.has(keyOf(target.kind, verb))) throw forbidden(verb, target);
    const hit = this.#faults.find(
      ({ fault, left }) => left > 0 && (fault.verb ?? verb) === verb && (fault.kind ?? target.kind) === target.kind,
    );
    if (hit === undefined) return;
    hit.left--;
    throw hit.fault.error;
  }

  #watch(target: RequestTarget, response: ServerResponse): void {
    const watch = new WatchStream(target, this.store, response, this.#isHoldingWatches);
    this.#watches.add(watch);
    response.on("close", () => this.#watches.delete(watch));
  }

  #note(request: SeenRequest): void {
    this.#seen.push(request);
    if (this.#seen.length > maxSeenRequests) this.#seen.shift();
  }
}

function verbOf(method: string, { name, query }: RequestTarget): Verb {
  const isWatch = ["true", "1"].includes(query.get("watch") ?? "");
  if (method === "GET") return isWatch ? "watch" : name === undefined ? "list" : "get";
  const verb = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" }[method];
  if (verb === undefined) throw new StatusError("method not allowed", { code: 405, reason: "MethodNotAllowed" });
  return verb as Verb;
}

async function bodyOf(request: IncomingMessage): Promise<unknown> {
  if (request.method === "GET" || request.headers["content-length"] === undefined) return undefined;
  try {
    return await json(request);
  } catch (cause) {
    throw badRequest(`the body is not JSON: ${String(cause)}`);
  }
}

function sendStatus(response: ServerResponse, error: StatusError): void {
  if (error.retryAfterSeconds !== undefined) response.setHeader("retry-after", error.retryAfterSeconds);
  sendJson(response, error.code, error.body);
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function keyOf({ group, plural }: ResourceKind, verb: Verb): string {
  return `${group}/${plural}/${verb}`;
}
