import { decodedPart, type ErrorDialect, errorDialectOf, type StreamFormat } from "../../http/index.ts";
import type { MountedRoute } from "./mounted-route.ts";

/** What a path and method stand for. */
export type Route =
  /** Goes to a worker. */
  | { readonly kind: "forward"; readonly format: StreamFormat | undefined; readonly hasKnownBody: boolean }
  /** Belongs to the worker that made the answer with this id. */
  | { readonly kind: "stored-response"; readonly id: string }
  | { readonly kind: "models" }
  | { readonly kind: "model"; readonly id: string }
  | { readonly kind: "health" }
  /** The description of what is served. */
  | { readonly kind: "document" }
  /** Answers by itself. */
  | { readonly kind: "mounted"; readonly route: MountedRoute }
  | { readonly kind: "wrong-method"; readonly allowed: string }
  | { readonly kind: "unknown" };

const generating: ReadonlyMap<string, StreamFormat> = new Map([
  ["/v1/chat/completions", "chat"],
  ["/v1/completions", "completions"],
  ["/v1/responses", "responses"],
  ["/v1/messages", "messages"],
  ["/generate", "generate"],
]);

const others: ReadonlySet<string> = new Set(["/v1/messages/count_tokens", "/v1/embeddings", "/v1/rerank", "/tokenize"]);

const storedResponse = /^\/v1\/responses\/([^/]+)(\/cancel|\/input_items)?$/;
const oneModel = /^\/v1\/models\/(.+)$/;

/** Finds what a request is for. */
export class ServedPaths {
  readonly #exact: ReadonlySet<string>;
  readonly #prefixes: readonly string[];
  readonly #mounted = new Map<string, MountedRoute>();

  /**
   * @param allowed paths to forward beside those of the known APIs; one that ends in `/*` stands for all below
   * @param mounted routes that answer by themselves
   * @throws RouteConflictError for a route whose method and path have a meaning already
   */
  constructor(allowed: readonly string[], mounted: readonly MountedRoute[] = []) {
    this.#exact = new Set(allowed.filter((path) => !path.endsWith("/*")));
    this.#prefixes = allowed.filter((path) => path.endsWith("/*")).map((path) => path.slice(0, -1));
    for (const route of mounted) this.#mount(route);
  }

  /** Whose words the caller of a path expects; undefined = those of a known API. */
  mountedOn(path: string): MountedRoute | undefined {
    return this.#mounted.size === 0 ? undefined : this.#mounted.get(path);
  }

  /** @param path without its query */
  routeOf(method: string, path: string): Route {
    const mounted = this.mountedOn(path);
    if (mounted?.method === method) return { kind: "mounted", route: mounted };
    const route = this.#routeOf(method, path);
    // Another method of its path may be one of ours; where it is none, the caller is told the one that is.
    return mounted === undefined || this.#means(route, path)
      ? route
      : { kind: "wrong-method", allowed: mounted.method };
  }

  #mount(route: MountedRoute): void {
    const { method, path } = route;
    const other = this.#mounted.get(path);
    if (other?.method === method) throw new RouteConflictError(route, "another mounted route");
    if (this.#means(this.#routeOf(method, path), path)) throw new RouteConflictError(route, "a route of the proxy's");
    this.#mounted.set(path, route);
  }

  /** Whether a route is one by its own name: what is below a prefix may be named more closely. */
  #means({ kind }: Route, path: string): boolean {
    if (kind === "unknown" || kind === "wrong-method") return false;
    return kind !== "forward" || generating.has(path) || others.has(path) || this.#exact.has(path);
  }

  #routeOf(method: string, path: string): Route {
    const format = generating.get(path);
    if (format !== undefined) return onlyBy(method, "POST", { kind: "forward", format, hasKnownBody: true });
    if (others.has(path)) return onlyBy(method, "POST", { kind: "forward", format: undefined, hasKnownBody: true });
    const local = localRoute(method, path);
    if (local !== undefined) return local;
    return this.#isAllowed(path) ? { kind: "forward", format: undefined, hasKnownBody: false } : { kind: "unknown" };
  }

  #isAllowed(path: string): boolean {
    if (this.#exact.has(path)) return true;
    return this.#prefixes.some((prefix) => path.startsWith(prefix)) && !goesUp(path);
  }
}

/** Whether a server that resolves `..` would find another path below this one. Parameters behind a semicolon are cut off, as Java's servers do. */
function goesUp(path: string): boolean {
  return decodedPart(path)
    .split(/[/\\]/)
    .some((segment) => /^\.{1,2}(;|$)/.test(segment));
}

/** What needs no choice of a worker. */
function localRoute(method: string, path: string): Route | undefined {
  if (path === "/health") return readOnly(method, { kind: "health" });
  if (path === "/openapi.json") return readOnly(method, { kind: "document" });
  if (path === "/v1/models") return readOnly(method, { kind: "models" });
  const [, model] = oneModel.exec(path) ?? [];
  if (model !== undefined) return readOnly(method, { kind: "model", id: decodedPart(model) });
  const [, id, part] = storedResponse.exec(path) ?? [];
  if (id === undefined) return undefined;
  const route: Route = { kind: "stored-response", id: decodedPart(id) };
  if (part === "/cancel") return onlyBy(method, "POST", route);
  if (part === undefined && method === "DELETE") return route;
  return method === "GET" ? route : { kind: "wrong-method", allowed: part === undefined ? "GET, DELETE" : "GET" };
}

function onlyBy(method: string, allowed: string, route: Route): Route {
  return method === allowed ? route : { kind: "wrong-method", allowed };
}

function readOnly(method: string, route: Route): Route {
  return method === "GET" || method === "HEAD" ? route : { kind: "wrong-method", allowed: "GET, HEAD" };
}

/** Two routes would answer the same requests. */
export class RouteConflictError extends Error {
  override readonly name = "RouteConflictError";

  constructor({ method, path }: Pick<MountedRoute, "method" | "path">, other: string) {
    super(`duplicate HTTP route registered: ${method} ${path} conflicts with ${other}`);
  }
}

/** Whose error JSON the caller of a path expects. An Anthropic client is known by its header where the path is both APIs'. */
export function dialectOf(path: string, isAnthropicClient: boolean): ErrorDialect {
  return isAnthropicClient && path.startsWith("/v1/models") ? "anthropic" : errorDialectOf(path);
}
