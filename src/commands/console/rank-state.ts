import type { Worker, WorkerRank } from "../../fleet/index.ts";
import type { ServedModel } from "../../router/index.ts";
import type { ConsoleKvEvents, ConsoleLoad, ConsoleRank, ReadWorker } from "../../surface/admin/index.ts";
import type { Core } from "../assemble.ts";
import type { KvFollower } from "../kv-follower.ts";
import type { KvRankStatus } from "../kv-rank-status.ts";

/** What is read of the workers. */
export interface WorkerSigns {
  readonly core: Pick<Core, "catalogue" | "loads" | "view" | "models">;
  readonly follower: Pick<KvFollower, "statusOf">;
  readonly problemsOf: (worker: Worker) => readonly { readonly kind: string; readonly message: string }[];
  /** Whether other replicas tell what they have booked. */
  readonly isLoadShared: boolean;
}

/**
 * A worker as it is, and its ranks as they are when they are read; those of a worker that has gone meanwhile are not.
 * @param wall ms since 1970
 */
export function workerReading(worker: Worker, signs: WorkerSigns, wall: () => number): ReadWorker {
  const { name, endpoint, role, health, isDraining, models } = worker;
  const served = signs.core.models.values().filter((model) => models.length === 0 || models.includes(model.name));
  return {
    id: worker.id.toString(),
    name,
    endpoint,
    role,
    health,
    isDraining,
    isEligible: health !== "unhealthy" && !isDraining,
    models,
    problems: signs.problemsOf(worker).map(({ kind, message }) => ({ kind, message })),
    ranks: rankStates(worker, served, signs, wall),
  };
}

function* rankStates(
  worker: Worker,
  served: readonly ServedModel[],
  signs: WorkerSigns,
  wall: () => number,
): Generator<ConsoleRank> {
  for (const rank of worker.ranks) {
    // Its slot may be another's by now.
    if (signs.core.catalogue.rankAt(rank.slot) !== rank) return;
    yield rankState(rank, served, signs, wall());
  }
}

function rankState(
  rank: WorkerRank,
  served: readonly ServedModel[],
  { core: { loads, view }, follower, isLoadShared }: WorkerSigns,
  nowAtMs: number,
): ConsoleRank {
  const { slot, dpRank, worker } = rank;
  const foreign = view.foreignLoad(slot);
  const report = view.reportOf(slot);
  const status = follower.statusOf(rank);
  return {
    dpRank,
    booked: {
      requests: loads.activeRequests(slot),
      prefillTokens: loads.activePrefillTokens(slot),
      decodeBlocks: loads.activeDecodeBlocks(slot),
    },
    siblings: isLoadShared ? loadOf(view.siblingLoad(slot)) : undefined,
    foreign: foreign && loadOf(foreign),
    requestsTotal: loads.bookedRequests(slot),
    heldBlocks: heldBlocks(slot, served[0]),
    guessedBlocks: served.reduce((sum, { index }) => sum + (index.guesses?.blocksOf(slot) ?? 0), 0),
    totalKvBlocks: worker.totalKvBlocks ?? foreign?.totalKvBlocks,
    kvEvents: status && kvEventsState(status, nowAtMs),
    engine: report &&
      foreign && {
        runningRequests: report.runningRequests,
        waitingRequests: report.waitingRequests,
        kvUsage: report.kvUsage,
        ageMs: Math.round(view.reportAgeMs(foreign)),
      },
  };
}

function loadOf({ requests, prefillTokens, decodeBlocks }: ConsoleLoad): ConsoleLoad {
  return { requests, prefillTokens, decodeBlocks };
}

/** @param model of those that the rank serves: its events are in the indexes of all of them alike */
function heldBlocks(slot: number, model: ServedModel | undefined): ConsoleRank["heldBlocks"] {
  const index = model?.index;
  return {
    total: index?.blocksOf(slot) ?? 0,
    device: index?.blocksIn(slot, "device") ?? 0,
    host: index?.blocksIn(slot, "host_pinned") ?? 0,
    disk: index?.blocksIn(slot, "disk") ?? 0,
    external: index?.blocksIn(slot, "external") ?? 0,
  };
}

function kvEventsState(status: KvRankStatus, nowAtMs: number): ConsoleKvEvents {
  const { endpoint, lastSequence, lastEventAgeMs, lastSentAtMs, applied, dropped, gaps, replays, resets } = status;
  const isLagKnown = lastEventAgeMs !== undefined && lastSentAtMs !== undefined;
  return {
    state: stateOf(status),
    endpoint,
    lastSequence: lastSequence?.toString(),
    lastEventAgeMs: lastEventAgeMs && Math.round(lastEventAgeMs),
    lagMs: isLagKnown ? Math.round(10 * (nowAtMs - lastEventAgeMs - lastSentAtMs)) / 10 : undefined,
    applied,
    dropped,
    gaps,
    replays,
    resets,
    problems: status.problems.map(({ kind, message }) => ({ kind, message })),
  };
}

function stateOf({ problems, isConnected, lastEventAgeMs }: KvRankStatus): ConsoleKvEvents["state"] {
  if (problems.length > 0) return "problem";
  if (!isConnected) return "connecting";
  return lastEventAgeMs === undefined ? "quiet" : "live";
}
