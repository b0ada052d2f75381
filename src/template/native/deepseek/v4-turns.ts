import type { Turn } from "./conversation.ts";

/** A part of what a user's turn shows: words, or the result of a call. */
export interface Block {
  readonly isResult: boolean;
  readonly text: string;
  readonly callId: string;
}

/** A turn of V4 and V4.1; `blocks` are a user's. */
export interface V4Turn extends Turn {
  readonly blocks: readonly Block[];
}

/** Messages of users and results of tools in a row become one turn of a user (deepseek/common.rs `merge_tool_messages`). */
export function mergedTurns(turns: readonly Turn[]): readonly V4Turn[] {
  const merged: V4Turn[] = [];
  let blocks: Block[] | undefined;
  for (const turn of turns) {
    const isResult = turn.role === "tool";
    if (!isResult && turn.role !== "user") {
      blocks = undefined;
      merged.push({ ...turn, blocks: [] });
      continue;
    }
    const block = { isResult, text: turn.content ?? "", callId: turn.callId };
    if (blocks === undefined) {
      blocks = [block];
      merged.push({ ...turn, role: "user", blocks });
    } else blocks.push(block);
  }
  return merged;
}

/** Places of calls by their ids; of equal ids the last counts. */
export function callRanks(
  calls: Turn["calls"],
  idOf: (call: Turn["calls"][number]) => string,
): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const [at, call] of calls.entries()) {
    const id = idOf(call);
    if (id !== "") ranks.set(id, at);
  }
  return ranks;
}

/** Results of a turn in the order of the calls that they answer; an unknown one counts as the first. */
export function sortedResults(
  turns: readonly V4Turn[],
  idOf: (call: Turn["calls"][number]) => string,
): readonly V4Turn[] {
  let ranks: ReadonlyMap<string, number> = new Map();
  return turns.map((turn) => {
    if (turn.role === "assistant" && turn.calls.length > 0) ranks = callRanks(turn.calls, idOf);
    if (turn.role !== "user" || ranks.size === 0) return turn;
    const order = (block: Block) => ranks.get(block.callId) ?? 0;
    const results = turn.blocks.filter(({ isResult }) => isResult).toSorted((a, b) => order(a) - order(b));
    let next = 0;
    return { ...turn, blocks: turn.blocks.map((block) => (block.isResult ? (results[next++] ?? block) : block)) };
  });
}
