import { decodedPart, type ErrorDialect, errorDialectOf, type StreamFormat } from "../../http/index.ts";

/** How answers of a path may be streamed. */
export type ReplayFormat = Exclude<StreamFormat, "generate">;

/** What a path and method stand for. */
export type QueueRoute =
  /** Goes into a queue. */
  | {
      readonly kind: "submit";
      /** The path that the processor sends it to. One of ours, never what the client wrote. */
      readonly endpoint: string;
      /** Undefined: its answers have no streams. */
      readonly format: ReplayFormat | undefined;
    }
  | { readonly kind: "models" }
  | { readonly kind: "model"; readonly id: string }
  /** A request that was submitted before. */
  | { readonly kind: "request"; readonly id: string; readonly isRemoval: boolean }
  | { readonly kind: "health" }
  | { readonly kind: "wrong-method"; readonly allowed: string }
  | { readonly kind: "unknown" };

const submitted: ReadonlyMap<string, ReplayFormat | undefined> = new Map([
  ["/v1/chat/completions", "chat"],
  ["/v1/completions", "completions"],
  ["/v1/responses", "responses"],
  ["/v1/messages", "messages"],
  ["/v1/embeddings", undefined],
]);

const oneRequest = /^\/v1\/requests\/([\w.-]{1,128})$/;
const oneModel = /^\/v1\/models\/(.+)$/;

/**
 * @param path without its query
 * @param hasRequests whether requests can be asked for by their ids
 */
export function queueRouteOf(method: string, path: string, hasRequests: boolean): QueueRoute {
  if (submitted.has(path)) {
    const route: QueueRoute = { kind: "submit", endpoint: path, format: submitted.get(path) };
    return method === "POST" ? route : { kind: "wrong-method", allowed: "POST" };
  }
  if (path === "/health") return readOnly(method, { kind: "health" });
  if (path === "/v1/models") return readOnly(method, { kind: "models" });
  const [, model] = oneModel.exec(path) ?? [];
  if (model !== undefined) return readOnly(method, { kind: "model", id: decodedPart(model) });
  const [, id] = oneRequest.exec(path) ?? [];
  return id === undefined || !hasRequests ? { kind: "unknown" } : requestRoute(method, id);
}

function requestRoute(method: string, id: string): QueueRoute {
  if (method === "GET" || method === "DELETE") return { kind: "request", id, isRemoval: method === "DELETE" };
  return { kind: "wrong-method", allowed: "GET, DELETE" };
}

function readOnly(method: string, route: QueueRoute): QueueRoute {
  return method === "GET" || method === "HEAD" ? route : { kind: "wrong-method", allowed: "GET, HEAD" };
}

/** Whose error JSON the caller of a path expects. An Anthropic client is known by its header where the path is both APIs'. */
export function queueDialectOf(path: string, isAnthropicClient: boolean): ErrorDialect {
  return isAnthropicClient && path.startsWith("/v1/models") ? "anthropic" : errorDialectOf(path);
}
