import type { ConsoleLoad, ConsoleRank, ConsoleWorker } from "../surface/admin/index.ts";

/** How well what a worker holds is known: that of its least known rank. `guessed`: it publishes no KV events. */
export type EventHealth = "live" | "quiet" | "guessed" | "connecting" | "problem";

/** A worker as a row of the table: the sum of its ranks. */
export interface WorkerRow {
  readonly worker: ConsoleWorker;
  /** Whoever sent them: this picker, its siblings, others. */
  readonly requests: number;
  readonly prefillTokens: number;
  readonly decodeBlocks: number;
  /** Known to be held, and guessed. */
  readonly heldBlocks: number;
  /** Blocks that all its ranks can hold; undefined = not known of all. */
  readonly totalKvBlocks: number | undefined;
  readonly events: EventHealth;
  readonly health: "up" | "down" | "drain" | "?";
}

/** What rows can be in order of. */
export const sortKeys = ["name", "health", "requests", "prefill", "decode", "held", "events"] as const;
export type SortKey = (typeof sortKeys)[number];

const byConcern: readonly EventHealth[] = ["problem", "connecting", "quiet", "guessed", "live"];
const healthByConcern: readonly WorkerRow["health"][] = ["down", "?", "drain", "up"];
const names = new Intl.Collator("en", { numeric: true });

export function workerRow(worker: ConsoleWorker): WorkerRow {
  const loads = worker.ranks.map(rankLoad);
  const capacities = worker.ranks.map(({ totalKvBlocks }) => totalKvBlocks);
  return {
    worker,
    requests: sum(loads.map(({ requests }) => requests)),
    prefillTokens: sum(loads.map(({ prefillTokens }) => prefillTokens)),
    decodeBlocks: sum(loads.map(({ decodeBlocks }) => decodeBlocks)),
    heldBlocks: sum(worker.ranks.map(({ heldBlocks, guessedBlocks }) => heldBlocks.total + guessedBlocks)),
    totalKvBlocks: capacities.includes(undefined) ? undefined : sum(capacities.map((blocks) => blocks ?? 0)),
    events: worstEvents(worker.ranks),
    health: healthOf(worker),
  };
}

/** All that is on a rank, whoever put it there. */
export function rankLoad({ booked, siblings, foreign }: ConsoleRank): ConsoleLoad {
  const parts = [booked, siblings, foreign].filter((load) => load !== undefined);
  return {
    requests: sum(parts.map(({ requests }) => requests)),
    prefillTokens: sum(parts.map(({ prefillTokens }) => prefillTokens)),
    decodeBlocks: sum(parts.map(({ decodeBlocks }) => decodeBlocks)),
  };
}

export function rankEvents({ kvEvents }: ConsoleRank): EventHealth {
  return kvEvents === undefined ? "guessed" : kvEvents.state;
}

/** In order of a key, the greatest (or the one to worry about most) first, names from A on; equal ones by name. */
export function sortedRows(rows: readonly WorkerRow[], key: SortKey, isReversed: boolean): WorkerRow[] {
  const compare = comparisons[key];
  const sign = isReversed ? -1 : 1;
  return rows.toSorted((a, b) => sign * compare(a, b) || byName(a, b));
}

const comparisons: Readonly<Record<SortKey, (a: WorkerRow, b: WorkerRow) => number>> = {
  name: byName,
  health: (a, b) => healthByConcern.indexOf(a.health) - healthByConcern.indexOf(b.health),
  requests: (a, b) => b.requests - a.requests,
  prefill: (a, b) => b.prefillTokens - a.prefillTokens,
  decode: (a, b) => b.decodeBlocks - a.decodeBlocks,
  held: (a, b) => b.heldBlocks - a.heldBlocks,
  events: (a, b) => byConcern.indexOf(a.events) - byConcern.indexOf(b.events),
};

/** Whether any of its names or states holds the text, whatever the case. */
export function matchesWorker({ worker, health, events }: WorkerRow, filter: string): boolean {
  const texts = [worker.name, worker.endpoint, worker.id, worker.role, health, events, ...worker.models];
  return texts.some((text) => text.toLowerCase().includes(filter.toLowerCase()));
}

function byName(a: WorkerRow, b: WorkerRow): number {
  return names.compare(a.worker.name, b.worker.name) || names.compare(a.worker.id, b.worker.id);
}

function healthOf({ health, isDraining }: ConsoleWorker): WorkerRow["health"] {
  if (health === "unhealthy") return "down";
  if (isDraining) return "drain";
  return health === "healthy" ? "up" : "?";
}

function worstEvents(ranks: readonly ConsoleRank[]): EventHealth {
  const states = ranks.map(rankEvents);
  return byConcern.find((state) => states.includes(state)) ?? "guessed";
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
