import type { PickSummary } from "./console-picks.ts";

/** What a reader is told of the decisions since it was last told. */
export interface NewPicks {
  /** The oldest first. */
  readonly picks: readonly PickSummary[];
  /** Further ones since then. */
  readonly leftOut: number;
}

/** Which decisions a reader knows of, by the latest number of each process. */
export class KnownPicks {
  readonly #latest = new Map<string, number>();
  #isBegun = false;
  /** Whether there were no decisions yet at the first call. */
  #wasEmpty = false;

  /**
   * Of the latest decisions those that came since the last call; none at the first, which comes with a state that has them.
   * @param picks the newest first
   */
  take(picks: readonly PickSummary[]): NewPicks {
    const before = this.#note(picks);
    if (!this.#isBegun) {
      this.#isBegun = true;
      this.#wasEmpty = picks.length === 0;
      return { picks: [], leftOut: 0 };
    }
    const fresh = picks.filter(({ id }) => numberOf(id) > (before.get(processOf(id)) ?? 0)).reverse();
    let since = 0;
    for (const [process, known] of before) since += (this.#latest.get(process) ?? known) - known;
    return { picks: fresh, leftOut: Math.max(0, since - fresh.length) };
  }

  /** @returns by process, the latest number before; 0 for one that counts from 1 again */
  #note(picks: readonly PickSummary[]): ReadonlyMap<string, number> {
    const before = new Map<string, number>();
    for (const { id } of picks) {
      const process = processOf(id);
      if (before.has(process)) continue;
      // The newest come first.
      const newest = numberOf(id);
      const known = this.#latest.get(process) ?? this.#beforeFirst(process, picks);
      before.set(process, newest < known ? 0 : known);
      this.#latest.set(process, newest);
    }
    return before;
  }

  /**
   * What came before the first sight of a process. Unless there were no decisions at all at the beginning, it may have made any number
   * before that, too old to be listed then: only those that are listed are known to be new.
   */
  #beforeFirst(process: string, picks: readonly PickSummary[]): number {
    if (this.#wasEmpty) return 0;
    const oldest = picks.findLast(({ id }) => processOf(id) === process);
    return oldest === undefined ? 0 : numberOf(oldest.id) - 1;
  }
}

/** `2` of `2-17`, "" of `17`. */
function processOf(id: string): string {
  return id.includes("-") ? id.slice(0, id.indexOf("-")) : "";
}

function numberOf(id: string): number {
  return Number(id.slice(id.indexOf("-") + 1));
}
