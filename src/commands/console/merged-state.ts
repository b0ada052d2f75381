import type {
  ConsoleFrame,
  ConsoleModel,
  ConsoleReplicas,
  ConsoleShard,
  ConsoleState,
  ConsoleTotals,
  PickSummary,
} from "../../surface/admin/index.ts";
import { mergedHistory } from "./merged-history.ts";
import { listedPicks, listedRefusals } from "./pick-state.ts";

/** One of several processes of a picker. */
export interface ShardView extends Pick<ConsoleShard, "shard" | "isReady" | "restarts"> {
  /** What it tells beside the workers; undefined = it did not in time. */
  readonly frame: ConsoleFrame | undefined;
  /** Requests booked on the ranks that it tells of. */
  readonly requests: number;
}

/** What is known of the picker beside what its processes tell. */
export type PickerFacts = Pick<
  ConsoleState,
  "nowAtMs" | "updateIntervalMs" | "version" | "modes" | "startedAtMs" | "history"
> & {
  /** The picker's own name among replicas. */
  readonly name: string;
  /** Whether there are other replicas beside its processes. */
  readonly sharesLoad: boolean;
};

/**
 * The state of a picker of several processes, but for its workers. What is counted is summed up; what all of them see is shown as it is
 * worst.
 */
export function* mergedFrame(views: readonly ShardView[], facts: PickerFacts): Generator<undefined, ConsoleFrame> {
  const { name, sharesLoad, history, ...own } = facts;
  const told = views.flatMap(({ frame }) => frame ?? []);
  const merged = told.length === 0 ? history : yield* mergedHistory(told.map((frame) => frame.history));
  return {
    ...own,
    ready: {
      isReady: views.some(({ isReady }) => isReady),
      reasons: views.flatMap(reasonsOf),
    },
    models: mergedModels(told),
    workersLeftOut: Math.max(0, ...told.map(({ workersLeftOut }) => workersLeftOut)),
    totals: mergedTotals(told),
    history: merged,
    picks: mergedPicks(views.map(({ shard, frame }) => ({ shard, picks: frame?.picks ?? [] }))).slice(0, listedPicks),
    refusals: newestFirst(views.map(({ shard, frame }) => ({ shard, items: frame?.refusals ?? [] }))).slice(
      0,
      listedRefusals,
    ),
    admission: mergedAdmission(told),
    replicas: sharesLoad ? mergedReplicas(told, name) : undefined,
    recovery: told.flatMap(({ recovery }) => recovery ?? []).sort((a, b) => progressOf(a) - progressOf(b))[0],
    queueFront: mergedQueueFront(told),
    shards: views.map(shardOf),
  };
}

/** Decisions of several processes, the newest first, each by an id that names its process. */
export function mergedPicks(
  lists: readonly { readonly shard: number; readonly picks: readonly PickSummary[] }[],
): PickSummary[] {
  return newestFirst(lists.map(({ shard, picks }) => ({ shard, items: picks })));
}

function newestFirst<T extends { readonly id: string; readonly atMs: number }>(
  lists: readonly { readonly shard: number; readonly items: readonly T[] }[],
): T[] {
  return lists
    .flatMap(({ shard, items }) => items.map((item) => ({ ...item, id: `${shard}-${item.id}` })))
    .sort((a, b) => b.atMs - a.atMs);
}

function reasonsOf({ shard, isReady, frame }: ShardView): readonly string[] {
  if (frame === undefined) return [`shard ${shard} does not answer`];
  if (isReady) return [];
  return frame.ready.reasons.map((reason) => `shard ${shard}: ${reason}`);
}

function shardOf({ shard, isReady, restarts, frame, requests }: ShardView): ConsoleShard {
  return {
    shard,
    isReady,
    isTold: frame !== undefined,
    restarts,
    totals: frame?.totals,
    requests: frame && requests,
  };
}

function mergedModels(states: readonly ConsoleFrame[]): ConsoleModel[] {
  const byName = Map.groupBy(
    states.flatMap(({ models }) => models),
    ({ name }) => name,
  );
  return [...byName.values()].map((views) => {
    const [first] = views as [ConsoleModel];
    const indexes = views.map(({ index }) => index);
    const sum = (key: "guessedBlocks" | "usedBytes" | "evictedBlocks") =>
      indexes.reduce((total, index) => total + index[key], 0);
    return {
      ...first,
      tokens: views.some(({ tokens }) => tokens === "loading") ? "loading" : first.tokens,
      inexact: mergedCounts(views.map(({ inexact }) => inexact)),
      index: {
        // Each has an index of its own, of the same events.
        blocks: Math.max(...indexes.map(({ blocks }) => blocks)),
        maxBlocks: first.index.maxBlocks,
        guessedBlocks: sum("guessedBlocks"),
        usedBytes: sum("usedBytes"),
        evictedBlocks: sum("evictedBlocks"),
      },
    };
  });
}

function mergedCounts(all: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, count] of all.flatMap(Object.entries<number>)) counts[name] = (counts[name] ?? 0) + count;
  return counts;
}

function mergedTotals(states: readonly ConsoleFrame[]): ConsoleTotals {
  const sum = (key: keyof ConsoleTotals) => states.reduce((total, { totals }) => total + totals[key], 0);
  return {
    picks: sum("picks"),
    refusals: sum("refusals"),
    promptBlocks: sum("promptBlocks"),
    heldBlocks: sum("heldBlocks"),
  };
}

function mergedAdmission(states: readonly ConsoleFrame[]): ConsoleState["admission"] {
  const all = states.flatMap(({ admission }) => admission ?? []);
  if (all.length === 0) return undefined;
  return {
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
    maxWaiting: all.reduce((sum, { maxWaiting }) => sum + maxWaiting, 0),
  };
}

/** The others: those that are none of the processes themselves. */
function mergedReplicas(states: readonly ConsoleFrame[], name: string): ConsoleReplicas | undefined {
  const all = states.flatMap(({ replicas }) => replicas ?? []);
  const [first] = all;
  if (first === undefined) return undefined;
  const own = new Set(all.map(({ id }) => id));
  const others = all.flatMap(({ siblings }) => siblings).filter(({ id }) => !own.has(id));
  return {
    id: first.id,
    name,
    isConnected: all.every(({ isConnected }) => isConnected),
    isNameShared: all.some(({ isNameShared }) => isNameShared),
    siblings: [...new Map(others.map((sibling) => [sibling.id, sibling])).values()],
  };
}

/** How far a recovery is: the one that is least far counts for all. */
function progressOf({ state }: NonNullable<ConsoleState["recovery"]>): number {
  return ["idle", "seeking", "restoring", "catching_up", "cold", "recovered"].indexOf(state);
}

function mergedQueueFront(states: readonly ConsoleFrame[]): ConsoleState["queueFront"] {
  const all = states.flatMap(({ queueFront }) => queueFront ?? []);
  if (all.length === 0) return undefined;
  // All look at the same queues.
  const depths = new Map<string, number>();
  for (const { name, depth } of all.flatMap(({ queues }) => queues)) {
    depths.set(name, Math.max(depth, depths.get(name) ?? 0));
  }
  return {
    isConnected: all.every(({ isConnected }) => isConnected),
    running: all.reduce((sum, { running }) => sum + running, 0),
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
    queues: [...depths].map(([name, depth]) => ({ name, depth })),
  };
}
