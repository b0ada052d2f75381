import type { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import type { Clock, Turns } from "../../http/index.ts";
import { drained } from "./drained.ts";

/** How what is long is sent. */
export interface SendingOptions {
  /** How long a client may read nothing, ms; then it is cut. */
  readonly clientStallTimeoutMs: number;
}

/**
 * Writes pieces as fast as the client takes them, and lets others have a turn. Resolves with whether it has got them all: not after its
 * end.
 */
export async function sendInTurns(
  response: ServerResponse,
  pieces: Iterable<Buffer | string> | AsyncIterable<Buffer | string>,
  { clientStallTimeoutMs }: SendingOptions,
  clock: Clock,
  turns: Turns,
): Promise<boolean> {
  for await (const piece of pieces) {
    if (response.destroyed) return false;
    // Not between `cork` and `uncork`: of what is too much only together Node 24 says that there is no room, and never that there is again.
    const hasRoom = piece.length === 0 || response.write(piece);
    if (!(hasRoom || (await drained(response, clientStallTimeoutMs, clock)))) return false;
    if (turns.isSpent) await turns.nextTurn();
  }
  return !response.destroyed;
}
