import type {
  ConsoleModel,
  ConsoleReplicas,
  ConsoleShard,
  ConsoleState,
  ConsoleTotals,
  PickSummary,
} from "../../surface/admin/index.ts";
import { mergedHistory } from "./merged-history.ts";
import { mergedWorkers } from "./merged-workers.ts";
import { listedPicks } from "./pick-state.ts";

/** One of several processes of a picker. */
export interface ShardView extends Pick<ConsoleShard, "shard" | "isReady" | "restarts"> {
  /** Undefined = it did not tell in time. */
  readonly state: ConsoleState | undefined;
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

/** The state of a picker of several processes. What is counted is summed up; what all of them see is shown as it is worst. */
export function mergedState(views: readonly ShardView[], facts: PickerFacts): ConsoleState {
  const { name, sharesLoad, history, ...own } = facts;
  const told = views.flatMap(({ state }) => state ?? []);
  return {
    ...own,
    ready: {
      isReady: views.some(({ isReady }) => isReady),
      reasons: views.flatMap(reasonsOf),
    },
    models: mergedModels(told),
    workers: mergedWorkers(
      told.map(({ workers }) => workers),
      sharesLoad,
    ),
    workersLeftOut: Math.max(0, ...told.map(({ workersLeftOut }) => workersLeftOut)),
    totals: mergedTotals(told),
    history: told.length === 0 ? history : mergedHistory(told.map((state) => state.history)),
    picks: mergedPicks(views.map(({ shard, state }) => ({ shard, picks: state?.picks ?? [] }))).slice(0, listedPicks),
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
  return lists
    .flatMap(({ shard, picks }) => picks.map((pick) => ({ ...pick, id: `${shard}-${pick.id}` })))
    .sort((a, b) => b.atMs - a.atMs);
}

function reasonsOf({ shard, isReady, state }: ShardView): readonly string[] {
  if (state === undefined) return [`shard ${shard} does not answer`];
  if (isReady) return [];
  return state.ready.reasons.map((reason) => `shard ${shard}: ${reason}`);
}

function shardOf({ shard, isReady, restarts, state }: ShardView): ConsoleShard {
  return {
    shard,
    isReady,
    isTold: state !== undefined,
    restarts,
    totals: state?.totals,
    requests: state?.workers.flatMap(({ ranks }) => ranks).reduce((sum, { booked }) => sum + booked.requests, 0),
  };
}

function mergedModels(states: readonly ConsoleState[]): ConsoleModel[] {
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

function mergedTotals(states: readonly ConsoleState[]): ConsoleTotals {
  const sum = (key: keyof ConsoleTotals) => states.reduce((total, { totals }) => total + totals[key], 0);
  return {
    picks: sum("picks"),
    refusals: sum("refusals"),
    promptBlocks: sum("promptBlocks"),
    heldBlocks: sum("heldBlocks"),
  };
}

function mergedAdmission(states: readonly ConsoleState[]): ConsoleState["admission"] {
  const all = states.flatMap(({ admission }) => admission ?? []);
  if (all.length === 0) return undefined;
  return {
    waiting: all.reduce((sum, { waiting }) => sum + waiting, 0),
    maxWaiting: all.reduce((sum, { maxWaiting }) => sum + maxWaiting, 0),
  };
}

/** The others: those that are none of the processes themselves. */
function mergedReplicas(states: readonly ConsoleState[], name: string): ConsoleReplicas | undefined {
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

function mergedQueueFront(states: readonly ConsoleState[]): ConsoleState["queueFront"] {
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
