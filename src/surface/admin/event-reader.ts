import type { ServerResponse } from "node:http";
import type { Clock } from "../../http/index.ts";
import { withSecurity } from "./answer.ts";
import type { PickSummary, PicksLeftOut } from "./console-picks.ts";
import { drained } from "./drained.ts";
import { KnownPicks } from "./known-picks.ts";
import type { StateFeed, StateUpdate } from "./state-feed.ts";

export interface EventReaderOptions {
  /** How long a reader may read nothing, ms; then it is cut. */
  readonly clientStallTimeoutMs: number;
}

/**
 * Sends states to one reader, as server-sent events, until the signal is aborted or it leaves; resolves then. The next one is asked for
 * when the reader has taken the last one: of those that he missed nothing is kept. Rejects when a state cannot be made.
 */
export async function serveEvents(
  response: ServerResponse,
  feed: StateFeed,
  { clientStallTimeoutMs }: EventReaderOptions,
  clock: Clock,
  closing: AbortSignal,
): Promise<void> {
  const left = new AbortController();
  response.once("close", () => left.abort());
  const signal = AbortSignal.any([left.signal, closing]);
  const known = new KnownPicks();
  let number = 0;
  for (;;) {
    const update = await feed.next(number, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    });
    if (update === undefined) break;
    number = update.number;
    if (!response.headersSent) begin(response);
    if (!send(response, update, known) && !(await drained(response, clientStallTimeoutMs, clock))) return;
  }
  response.end();
}

function begin(response: ServerResponse): void {
  // `no-transform`: proxies that compress hold events back; nginx has a header of its own for that.
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform" };
  response.writeHead(200, withSecurity({ ...headers, "x-accel-buffering": "no" }));
}

/** @returns whether the reader has room for more */
function send(response: ServerResponse, { text, picks }: StateUpdate, known: KnownPicks): boolean {
  // Not between `cork` and `uncork`: of what is too much only together Node 24 says that there is no room, and never that there is again.
  response.write("event: state\ndata: ");
  response.write(text);
  return response.write(`\n\n${pickEvents(picks, known)}`);
}

function pickEvents(picks: readonly PickSummary[], known: KnownPicks): string {
  const fresh = known.take(picks);
  let text = "";
  for (const pick of fresh.picks) text += event("pick", pick);
  if (fresh.leftOut > 0) text += event("picks-left-out", { count: fresh.leftOut } satisfies PicksLeftOut);
  return text;
}

function event(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
