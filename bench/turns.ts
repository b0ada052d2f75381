import { createHistogram, type RecordableHistogram } from "node:perf_hooks";

/** What a thread did while it was watched. */
export interface Turns {
  /**
   * CPU time from one turn of the event loop to the next, us plus one, the garbage collector's share of this thread included. The kernel
   * brings it up to date at its own ticks, which may be 4 ms apart: a turn can seem that much longer than it was.
   */
  readonly cpuUs: RecordableHistogram;
  /** The same by the clock: exact, and longer by what else the machine did. */
  readonly wallUs: RecordableHistogram;
  /** Most memory of the process, bytes. */
  readonly peakRss: number;
}

/**
 * Watches how long this thread's turns take: nobody had to wait longer for the thread than its longest turn. The watch keeps the event loop
 * turning, and holds no figure of a single turn: a list of millions takes milliseconds to grow.
 */
export function watchTurns(): { readonly end: () => Turns } {
  const options = { lowest: 1, highest: 10_000_000, figures: 3 };
  const [cpuUs, wallUs] = [createHistogram(options), createHistogram(options)];
  let peakRss = 0;
  let isOver = false;
  let turns = 0;
  let last = spentUs();
  let lastAt = performance.now();
  const look = (): void => {
    const now = spentUs();
    const at = performance.now();
    cpuUs.record(now - last + 1);
    wallUs.record(Math.round((at - lastAt) * 1_000) + 1);
    last = now;
    lastAt = at;
    turns++;
    if (turns % 64 === 0) peakRss = Math.max(peakRss, process.memoryUsage.rss());
    if (!isOver) setImmediate(look);
  };
  look();
  return {
    end: () => {
      isOver = true;
      return { cpuUs, wallUs, peakRss: Math.max(peakRss, process.memoryUsage.rss()) };
    },
  };
}

function spentUs(): number {
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
