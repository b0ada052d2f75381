import type {
  ConsoleKvEvents,
  ConsoleLoad,
  ConsoleProblem,
  ConsoleRank,
  ReadWorker,
} from "../../surface/admin/index.ts";
import { byName } from "./worker-order.ts";

/**
 * The workers as several processes of one picker see them, each once.
 * @param lists in the order of `byName`
 * @param sharesLoad whether there are other replicas beside those processes
 */
export function* mergedWorkers(
  lists: readonly Iterable<ReadWorker | undefined>[],
  sharesLoad: boolean,
): Generator<ReadWorker | undefined> {
  const ways = lists.map((list) => new Way(list));
  const known = new Set<string>();
  for (;;) {
    const first = ways.reduce<ReadWorker | undefined>((least, { head }) => earlier(least, head), undefined);
    if (first === undefined) return;
    const views = ways.flatMap(({ head }) => (head?.id === first.id ? head : []));
    // One that got another name meanwhile may be in two places.
    yield known.has(first.id) ? undefined : mergedWorker(views, sharesLoad);
    known.add(first.id);
    for (const way of ways) if (way.head?.id === first.id) way.advance();
  }
}

/** What is left of a list. */
class Way<T> {
  /** The first of it; undefined at its end. */
  head: T | undefined;
  readonly #rest: Iterator<T | undefined>;

  constructor(list: Iterable<T | undefined>) {
    this.#rest = list[Symbol.iterator]();
    this.advance();
  }

  advance(): void {
    for (;;) {
      const { done, value } = this.#rest.next();
      this.head = done === true ? undefined : value;
      if (done === true || value !== undefined) return;
    }
  }
}

function earlier(a: ReadWorker | undefined, b: ReadWorker | undefined): ReadWorker | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return byName(a, b) <= 0 ? a : b;
}

function mergedWorker(views: readonly ReadWorker[], sharesLoad: boolean): ReadWorker {
  const [first] = views as [ReadWorker];
  return {
    ...first,
    health: views.find(({ health }) => health === "unhealthy")?.health ?? first.health,
    isDraining: views.some(({ isDraining }) => isDraining),
    isEligible: views.every(({ isEligible }) => isEligible),
    problems: mergedProblems(views),
    ranks: mergedRanks(views, sharesLoad),
  };
}

/** Those that the first has. */
function* mergedRanks([first, ...others]: readonly ReadWorker[], sharesLoad: boolean): Generator<ConsoleRank> {
  const ways = others.map(({ ranks }) => new Way(ranks));
  for (const rank of first?.ranks ?? []) {
    const views = [rank];
    for (const way of ways) {
      while (way.head !== undefined && way.head.dpRank < rank.dpRank) way.advance();
      if (way.head?.dpRank === rank.dpRank) views.push(way.head);
    }
    yield mergedRank(views, sharesLoad);
  }
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
