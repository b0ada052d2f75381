import { setImmediate as nextTurn } from "node:timers/promises";

/** Text that is made between two turns of the event loop, characters: well below 5 ms. */
const turnCharacters = 65_536;

/** Joins the parts to pieces worth sending, and lets others have a turn between two of them. */
export async function* inTurns(parts: Iterable<string>): AsyncGenerator<string, void, undefined> {
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (piece.length < turnCharacters) continue;
    yield piece;
    piece = "";
    await nextTurn();
  }
  yield piece;
}
