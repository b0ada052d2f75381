import type { IncomingMessage } from "node:http";
import { dropRest } from "./body-intake.ts";
import type { ClientAnswer } from "./client-answer.ts";

/** A request whose body may still have to come. */
export interface UnreadBody {
  readonly request: IncomingMessage;
  readonly client: ClientAnswer;
  /** Lines that each answer gets, names and values in turn. */
  readonly lines: string[];
  /** Whether it sends its body only when it is told to. */
  awaitsInvitation: boolean;
}

/** What still comes of a body is not wanted. */
export function dropBody({ awaitsInvitation, lines, request }: UnreadBody): void {
  // Whether it comes nevertheless nobody knows: what follows on the connection could be either.
  if (awaitsInvitation) lines.push("connection", "close");
  else if (!request.complete) dropRest(request);
}

/** Tells a client that waits for it that its body is read. */
export function invite(visit: UnreadBody): void {
  visit.awaitsInvitation = false;
  visit.client.invite();
}
