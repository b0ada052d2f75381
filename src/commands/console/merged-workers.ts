import type {
  ConsoleKvEvents,
  ConsoleLoad,
  ConsoleProblem,
  ConsoleRank,
  ConsoleWorker,
} from "../../surface/admin/index.ts";

/**
 * The workers as several processes of one picker see them, each once, in the order of the first list that has them.
 * @param sharesLoad whether there are other replicas beside those processes
 */
export function mergedWorkers(lists: readonly (readonly ConsoleWorker[])[], sharesLoad: boolean): ConsoleWorker[] {
  const byId = new Map<string, ConsoleWorker[]>();
  for (const worker of lists.flat()) {
    const known = byId.get(worker.id);
    if (known === undefined) byId.set(worker.id, [worker]);
    else known.push(worker);
  }
  return [...byId.values()].map((views) => mergedWorker(views, sharesLoad));
}

function mergedWorker(views: readonly ConsoleWorker[], sharesLoad: boolean): ConsoleWorker {
  const [first] = views as [ConsoleWorker];
  return {
    ...first,
    health: views.find(({ health }) => health === "unhealthy")?.health ?? first.health,
    isDraining: views.some(({ isDraining }) => isDraining),
    isEligible: views.every(({ isEligible }) => isEligible),
    problems: mergedProblems(views),
    ranks: first.ranks.map(({ dpRank }) => {
      const ranks = views.flatMap((view) => view.ranks.find((rank) => rank.dpRank === dpRank) ?? []);
      return mergedRank(ranks, sharesLoad);
    }),
  };
}

function mergedRank(views: readonly ConsoleRank[], sharesLoad: boolean): ConsoleRank {
  const [first] = views as [ConsoleRank];
  const booked = loadFrom((key) => sum(views, ({ booked: own }) => own[key]));
  // Each process counts what the others of the picker have booked among its siblings: with its own, all see the same whole.
  const beyond = (key: keyof ConsoleLoad) =>
    Math.max(0, most(views, ({ booked: own, siblings }) => own[key] + (siblings?.[key] ?? 0)) - booked[key]);
  const fullest = views.reduce((best, view) => (view.heldBlocks.total > best.heldBlocks.total ? view : best), first);
  const events = views.flatMap(({ kvEvents }) => kvEvents ?? []);
  return {
    ...first,
    booked,
    siblings: sharesLoad ? loadFrom(beyond) : undefined,
    foreign: views.find(({ foreign }) => foreign !== undefined)?.foreign,
    requestsTotal: sum(views, ({ requestsTotal }) => requestsTotal),
    heldBlocks: fullest.heldBlocks,
    guessedBlocks: sum(views, ({ guessedBlocks }) => guessedBlocks),
    totalKvBlocks: views.find(({ totalKvBlocks }) => totalKvBlocks !== undefined)?.totalKvBlocks,
    kvEvents: events.length === 0 ? undefined : mergedEvents(events),
    engine: views.find(({ engine }) => engine !== undefined)?.engine,
  };
}

/** The worst first: what is wrong in one process is wrong. */
const states = ["problem", "connecting", "quiet", "live"] as const;

/** All processes follow the same stream: it is shown as the one sees it that is worst off. */
function mergedEvents(views: readonly ConsoleKvEvents[]): ConsoleKvEvents {
  const rank = ({ state }: ConsoleKvEvents) => states.indexOf(state);
  const worst = views.reduce((found, view) => (rank(view) < rank(found) ? view : found));
  return {
    ...worst,
    gaps: most(views, ({ gaps }) => gaps),
    replays: most(views, ({ replays }) => replays),
    resets: most(views, ({ resets }) => resets),
    problems: mergedProblems(views),
  };
}

function mergedProblems(views: readonly { readonly problems: readonly ConsoleProblem[] }[]): ConsoleProblem[] {
  return [...new Map(views.flatMap(({ problems }) => problems).map((problem) => [problem.kind, problem])).values()];
}

function loadFrom(value: (key: keyof ConsoleLoad) => number): ConsoleLoad {
  return { requests: value("requests"), prefillTokens: value("prefillTokens"), decodeBlocks: value("decodeBlocks") };
}

function sum<T>(views: readonly T[], value: (view: T) => number): number {
  return views.reduce((total, view) => total + value(view), 0);
}

function most<T>(views: readonly T[], value: (view: T) => number): number {
  return Math.max(...views.map(value));
}
