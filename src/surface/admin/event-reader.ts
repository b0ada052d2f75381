import type { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import type { Clock, Turns } from "../../http/index.ts";
import { withSecurity } from "./answer.ts";
import type { PickSummary, PicksLeftOut } from "./console-picks.ts";
import { KnownPicks } from "./known-picks.ts";
import { type SendingOptions, sendInTurns } from "./send-in-turns.ts";
import type { StateFeed, StateUpdate } from "./state-feed.ts";

/**
 * Sends states to one reader, as server-sent events, until the signal is aborted or it leaves; resolves then. The next one is asked for
 * when the reader has taken the last one: of those that he missed nothing is kept. Rejects when a state cannot be made.
 */
export async function serveEvents(
  response: ServerResponse,
  feed: StateFeed,
  options: SendingOptions,
  clock: Clock,
  turns: Turns,
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
    if (!(await sendInTurns(response, eventPieces(update, known), options, clock, turns))) return;
  }
  response.end();
}

function begin(response: ServerResponse): void {
  // `no-transform`: proxies that compress hold events back; nginx has a header of its own for that.
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store, no-transform" };
  response.writeHead(200, withSecurity({ ...headers, "x-accel-buffering": "no" }));
}

function* eventPieces({ pieces, picks }: StateUpdate, known: KnownPicks): Generator<Buffer | string> {
  yield "event: state\ndata: ";
  yield* pieces;
  yield `\n\n${pickEvents(picks, known)}`;
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
