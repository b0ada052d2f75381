import type { Config } from "../../config/index.ts";
import type { Catalogue, Worker } from "../../fleet/index.ts";
import {
  type ConsoleFrame,
  type ConsoleReplicas,
  type ConsoleSource,
  type ConsoleState,
  type ConsoleTotals,
  type History,
  type PickSummary,
  pickParts,
  type ReadWorker,
  type StateReading,
} from "../../surface/admin/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import { version } from "../../version.ts";
import type { Core } from "../assemble.ts";
import { modesOf } from "../modes.ts";
import type { RecoveryView } from "../peer-recovery.ts";
import type { Readiness } from "../readiness.ts";
import type { Replication } from "../replication.ts";
import { modelState } from "./model-state.ts";
import { explainedPick, listedPicks, listedRefusals, pickState } from "./pick-state.ts";
import { type WorkerSigns, workerReading } from "./rank-state.ts";
import { byName, sorted } from "./worker-order.ts";

/** What the console shows of a running picker. */
export interface ShownPicker extends Omit<WorkerSigns, "core"> {
  readonly config: Config;
  readonly core: Core;
  readonly metrics: Pick<Metrics, "requests" | "queue" | "refusals">;
  readonly readiness: Readiness;
  /** Undefined where there are no peers. */
  readonly recovery: RecoveryView | undefined;
  /** Undefined where load is not shared. */
  readonly replication: Replication | undefined;
}

/** Times, as a source needs them. */
export interface ConsoleTime {
  /** ms since 1970. */
  wall(): number;
  /** ms on a monotonic scale. */
  now(): number;
}

/** Workers that are looked up in one step. */
const stepWorkers = 256;

/** The console of one process. */
export class CoreSource implements ConsoleSource {
  readonly #shown: ShownPicker;
  readonly #history: History;
  readonly #time: ConsoleTime;
  readonly #startedAtMs: number;
  /** The workers by name, as they were last. */
  #order: readonly Worker[] = [];

  /** @param startedAtMs when the process started, ms since 1970 */
  constructor(shown: ShownPicker, history: History, time: ConsoleTime, startedAtMs: number) {
    this.#shown = shown;
    this.#history = history;
    this.#time = time;
    this.#startedAtMs = startedAtMs;
  }

  /** Adds a point to the history. */
  addPoint(): void {
    const { core } = this.#shown;
    let requests = 0;
    for (const worker of core.catalogue.workers()) {
      for (const { slot } of worker.ranks) requests += core.loads.activeRequests(slot);
    }
    this.#history.add(this.#totals(), requests, this.#time.wall(), this.#time.now());
  }

  async state(): Promise<StateReading> {
    let leftOut = 0;
    const leaveOut = (workers: number) => {
      leftOut = workers;
    };
    return { workers: () => this.#workers(leaveOut), frame: () => this.#frame(leftOut) };
  }

  async picks(limit: number, requestId: string | undefined): Promise<readonly PickSummary[]> {
    return this.#shown.core.decisions.recent(limit, requestId).map(pickState);
  }

  async explain(id: string, shownAs = id): Promise<Iterable<string> | undefined> {
    const decision = this.#shown.core.decisions.find(Number(id));
    return decision && pickParts({ ...explainedPick(decision), id: shownAs });
  }

  #totals(): ConsoleTotals {
    return this.#shown.metrics.requests.totals();
  }

  /** @param leaveOut told how many there are no places for; not of those that come while the others are read */
  *#workers(leaveOut: (workers: number) => void): Generator<ReadWorker | undefined> {
    const { core, config } = this.#shown;
    const order = yield* ordered(this.#order, core.catalogue);
    this.#order = order;
    let ranks = 0;
    for (const [place, worker] of order.entries()) {
      // It may have gone meanwhile.
      if (core.catalogue.get(worker.id) !== worker) continue;
      ranks += worker.ranks.length;
      if (ranks > config.admin.maxRanks) return leaveOut(order.length - place);
      yield workerReading(worker, this.#shown, () => this.#time.wall());
    }
  }

  *#frame(workersLeftOut: number): Generator<undefined, ConsoleFrame> {
    const { config, core, metrics, readiness } = this.#shown;
    const totals = this.#totals();
    this.#history.read(totals, this.#time.now());
    const history = this.#history.state();
    yield undefined;
    return {
      nowAtMs: this.#time.wall(),
      updateIntervalMs: config.admin.updateIntervalMs,
      version,
      modes: modesOf(config),
      startedAtMs: this.#startedAtMs,
      ready: { isReady: readiness.isReady, reasons: readiness.reasons },
      models: core.models.values().map((model) => {
        const settings = config.models.find(({ name }) => name === model.name);
        return modelState(model, settings, metrics.requests);
      }),
      workersLeftOut,
      totals,
      history,
      picks: core.decisions.recent(listedPicks).map(pickState),
      refusals: metrics.refusals.recent(listedRefusals).map(({ number, ...rest }) => ({ id: String(number), ...rest })),
      admission: core.queue && { waiting: core.queue.size, maxWaiting: config.admission.maxQueued },
      replicas: this.#replicas(),
      recovery: this.#recovery(),
      queueFront: this.#queueFront(),
      shards: undefined,
    };
  }

  #replicas(): ConsoleReplicas | undefined {
    const status = this.#shown.replication?.status();
    if (status === undefined) return undefined;
    const { id, name, isConnected, isNameShared, siblings } = status;
    return {
      id,
      name,
      isConnected,
      isNameShared,
      siblings: siblings.map(({ heardMsAgo, ...sibling }) => ({ ...sibling, heardAgoMs: Math.round(heardMsAgo) })),
    };
  }

  #recovery(): ConsoleState["recovery"] {
    const status = this.#shown.recovery?.status;
    if (status === undefined) return undefined;
    const { state, peer, blocks, tookMs } = status;
    return { state, peer, blocks, tookMs: Math.round(tookMs) };
  }

  #queueFront(): ConsoleState["queueFront"] {
    const front = this.#shown.metrics.queue.state;
    if (front === undefined) return undefined;
    const { isConnected, running, waiting, depths } = front;
    return { isConnected, running, waiting, queues: [...depths].map(([name, depth]) => ({ name, depth })) };
  }
}

/** The workers by name. Those that were there before are in order: little is left to sort. */
function* ordered(before: readonly Worker[], catalogue: Catalogue): Generator<undefined, readonly Worker[]> {
  const list: Worker[] = [];
  const known = new Set<Worker>();
  let looked = 0;
  for (const worker of before) {
    if (catalogue.get(worker.id) === worker) list.push(worker);
    known.add(worker);
    if (++looked % stepWorkers === 0) yield undefined;
  }
  for (const worker of catalogue.workers()) {
    if (!known.has(worker)) list.push(worker);
    if (++looked % stepWorkers === 0) yield undefined;
  }
  return yield* sorted(list, byName);
}
