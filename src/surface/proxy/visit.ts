import type { IncomingMessage } from "node:http";
import { type ClientAnswer, dropRest } from "../../http/index.ts";
import type { ClientHeaders } from "./client-headers.ts";

/** One request on its way through the door. */
export interface Visit {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly target: string;
  readonly path: string;
  readonly headers: ClientHeaders;
  readonly client: ClientAnswer;
  readonly newRequestId: string | undefined;
  /** Lines that each answer gets, names and values in turn. */
  readonly lines: string[];
  /** Whether it sends its body only when it is told to. */
  awaitsInvitation: boolean;
  /** As the client sees it; undefined = it sees none. */
  readonly requestId: string | undefined;
}

/** What still comes of a body is not wanted. */
export function dropBody({ awaitsInvitation, lines, request }: Visit): void {
  // Whether it comes nevertheless nobody knows: what follows on the connection could be either.
  if (awaitsInvitation) lines.push("connection", "close");
  else if (!request.complete) dropRest(request);
}

/** Tells a client that waits for it that its body is read. */
export function invite(visit: Visit): void {
  visit.awaitsInvitation = false;
  visit.client.invite();
}

/** A target without the scheme and the host that a client may write before its path. Source: RFC 9112, section 3.2.2. */
export function originForm(target: string): string {
  const rest = target.replace(/^https?:\/\/[^/?#]*/i, "");
  return rest.startsWith("?") || rest === "" ? `/${rest}` : rest;
}

/** Anthropic's clients name their API's version. */
export function isAnthropic({ headers }: Visit): boolean {
  return headers.get("anthropic-version") !== undefined;
}
