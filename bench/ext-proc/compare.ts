import { cpuRange, type Figures, medianFigures } from "./figures.ts";
import { idleCores, type Load, measure } from "./measure.ts";
import type { Row } from "./report.ts";
import type { RunningPicker } from "./running-picker.ts";

/** The two servers that take turns, and the client that asks them. */
export interface Contest {
  /** Path of the client's binary. */
  readonly client: string;
  readonly ours: RunningPicker;
  readonly peer: RunningPicker | undefined;
  /** Each row is the median of so many turns. */
  readonly rounds: number;
}

/**
 * Both pickers in turn on the same bodies, new ones in each round; who goes first changes, so that what else the machine
 * does falls on both.
 * @param load its seed is the first round's
 */
export async function compare(contest: Contest, load: Load): Promise<Row> {
  const { client, ours, peer, rounds } = contest;
  const contestants = peer === undefined ? [ours] : [ours, peer];
  const idle = await idleCores(contestants);
  const turns = contestants.map((picker, i) => ({ picker, idle: idle[i] ?? 0, figures: [] as Figures[] }));
  for (let round = 0; round < rounds; round++) {
    const seed = load.seed + round;
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) {
      turn.figures.push(await measure(client, turn.picker, { ...load, seed }, turn.idle));
    }
  }
  const [oursMedian, peerMedian] = turns.map((turn) => medianFigures(turn.figures));
  if (oursMedian === undefined) throw new Error("nothing was measured");
  return {
    work: load.work,
    concurrency: load.concurrency,
    ours: oursMedian,
    oursCpuRange: cpuRange(turns[0]?.figures ?? []),
    peer: peerMedian,
  };
}
