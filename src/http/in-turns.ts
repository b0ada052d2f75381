import { setImmediate as laterTurn } from "node:timers/promises";

/** Shares the turns of the event loop among those that have much to do. */
export interface Turns {
  /** True when this turn's share is used up: then await `nextTurn` before going on. */
  readonly isSpent: boolean;
  /** Resolves in a later turn. */
  nextTurn(): Promise<void>;
}

/** Text that is sent at once, and, where nobody shares the turns, made in one of them, characters: well below 5 ms. */
const pieceCharacters = 65_536;

/**
 * Joins the parts to pieces worth sending, and lets others have a turn between two of them.
 * @param turns looked at after each part; absent = a turn for each piece
 */
export async function* inTurns(parts: Iterable<string>, turns?: Turns): AsyncGenerator<string, void, undefined> {
  let piece = "";
  for (const part of parts) {
    piece += part;
    if (turns?.isSpent === true) await turns.nextTurn();
    if (piece.length < pieceCharacters) continue;
    yield piece;
    piece = "";
    if (turns === undefined) await laterTurn();
  }
  yield piece;
}
