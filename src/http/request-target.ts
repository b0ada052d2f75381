import type { IncomingMessage } from "node:http";

/** What a request asks for. */
export interface RequestTarget {
  readonly method: string;
  /** Path and query, as the client wrote them. */
  readonly target: string;
  /** Without the query. */
  readonly path: string;
}

/** Reads a request's first line. */
export function requestTargetOf({ url = "/", method = "GET" }: IncomingMessage): RequestTarget {
  const target = url.startsWith("/") ? url : originForm(url);
  const query = target.indexOf("?");
  return { method, target, path: query < 0 ? target : target.slice(0, query) };
}

/** A target without the scheme and the host that a client may write before its path. Source: RFC 9112, section 3.2.2. */
function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest.startsWith("?") || rest === "" ? `/${rest}` : rest;
}
