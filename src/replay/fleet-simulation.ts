import { Catalogue, staticWorkers, type WorkerRank } from "../fleet/index.ts";
import { GuessedBlocks, PrefixIndex } from "../kv/index.ts";
import { LeaseTable, LoadTable } from "../load/index.ts";
import { type PickOptions, resolvePickOptions, SessionTable } from "../pick/index.ts";
import {
  ModelRegistry,
  noAdmission,
  noDemands,
  type RouteDecision,
  type RouteDemands,
  Router,
  resolveDisaggregation,
} from "../router/index.ts";
import { BlockCache } from "./block-cache.ts";
import { EventQueue } from "./event-queue.ts";
import { OutcomeRecord, type SimulatedOutcome } from "./outcome.ts";
import { seededRandom } from "./seeded-random.ts";
import { type EngineFigures, SimulatedEngine } from "./simulated-engine.ts";
import type { SimulatedRequest } from "./simulated-request.ts";

/** Who decides where requests go. */
export interface Policy {
  readonly name: string;
  /** Of the product's choice; what is absent is Dynamo's default. */
  readonly pick: PickOptions;
  /** Any worker, or each in turn, whatever the cost says. Absent = by cost. */
  readonly order?: "random" | "round-robin";
}

/** The workers. */
export interface SimulatedFleet {
  readonly workers: number;
  readonly engine: EngineFigures;
  /**
   * Time that the router believes a worker to hold what was sent to it, ms: the workers publish no KV events then. Absent = they do, and the
   * router knows what they hold.
   */
  readonly guessMs?: number | undefined;
}

/** What happens to a request, in the order in which the router is told of it. */
export interface SimulationWatch {
  /** @param at the picked worker, from 0 */
  picked?(request: SimulatedRequest, at: number, decision: RouteDecision): void;
  prefilled?(request: SimulatedRequest): void;
  finished?(request: SimulatedRequest): void;
}

/** Time from an engine's change to the router's knowing of it. */
const eventDelayMs = 5;
const anywhere = { subset: undefined, requestedEndpoints: undefined };

/** Plays requests in virtual time on the real router: index, load table and choice are the product's, the engines are not. */
export class FleetSimulation {
  readonly #events = new EventQueue();
  readonly #engines: readonly SimulatedEngine[];
  readonly #ranks: readonly WorkerRank[];
  readonly #router: Router;
  readonly #model;
  readonly #random: () => number;
  readonly #policy: Policy;
  readonly #watch: SimulationWatch;
  readonly #outcome: OutcomeRecord;
  #turn = 0;
  #arrivals: Iterator<SimulatedRequest> | undefined;
  /** The first of `#arrivals` that has not come. */
  #nextArrival: SimulatedRequest | undefined;

  constructor(policy: Policy, fleet: SimulatedFleet, seed: number, watch: SimulationWatch = {}) {
    const { workers, engine, guessMs } = fleet;
    this.#policy = policy;
    this.#watch = watch;
    this.#random = seededRandom(seed + 7_919);
    this.#outcome = new OutcomeRecord(workers);
    const { blockSize, cacheBlocks } = engine;
    // A bound alone: all caches together hold half as many.
    const maxBlocks = Math.min(1 << 26, Math.max(1 << 16, 2 * workers * cacheBlocks));
    const guesses = guessMs === undefined ? undefined : new GuessedBlocks({ maxBlocks });
    const index = new PrefixIndex({ blockSize, maxBlocks, guesses });
    this.#model = { name: "m", aliases: [], pipeline: undefined, index };
    const clock = { now: () => this.#events.nowMs };
    const catalogue = new Catalogue();
    catalogue.replaceAll(staticWorkers(Array.from({ length: workers }, (_, at) => entryOf(at))));
    this.#ranks = [...catalogue.workers()].flatMap(({ ranks }) => ranks);
    const tell = (change: (of: PrefixIndex) => void) => {
      if (guesses === undefined) this.#events.after(eventDelayMs, () => change(index));
    };
    this.#engines = this.#ranks.map(({ slot }) => new SimulatedEngine(engine, new BlockCache(cacheBlocks, slot, tell)));
    this.#router = new Router(
      {
        models: new ModelRegistry([this.#model]),
        catalogue,
        loads: new LoadTable(),
        leases: new LeaseTable({}, clock, () => "none"),
        sessions: new SessionTable({}, clock),
        random: this.#random,
        sentPrompts: {
          onSent: ({ slot }, _model, hashes) => {
            if (guessMs !== undefined)
              guesses?.learn(slot, hashes, clock.now(), { ttlMs: guessMs, maxBlocks: cacheBlocks });
          },
        },
      },
      {
        pick: resolvePickOptions(policy.pick),
        disaggregation: resolveDisaggregation(),
        admission: noAdmission,
        affinity: { mode: "off", softRatio: 0, softBlocks: 0 },
        maxFallbacks: 0,
        refuseUnknownShapes: false,
        maxJsonDepth: 64,
        unknownModel: "refuse",
      },
    );
  }

  /** A request of the client's own accord; before `run`. */
  add(request: SimulatedRequest): void {
    this.#events.after(request.atMs - this.#events.nowMs, () => this.#arrive(request));
  }

  /** Requests in order of time, each of which is asked for when the one before has come; instead of `add`. */
  addInOrder(requests: Iterable<SimulatedRequest>): void {
    this.#arrivals = requests[Symbol.iterator]();
    this.#nextArrival = this.#arrivals.next().value;
  }

  /** What next happens. @returns false when nothing was left to happen */
  runNext(): boolean {
    const arrival = this.#nextArrival;
    // What comes at the same time as something happens comes first.
    if (arrival === undefined || arrival.atMs > this.#events.nextAtMs) return this.#events.runNext();
    this.#nextArrival = this.#arrivals?.next().value;
    this.#events.advanceTo(arrival.atMs);
    this.#arrive(arrival);
    return true;
  }

  /** All that happens. */
  run(requests: Iterable<SimulatedRequest>): SimulatedOutcome {
    for (const request of requests) this.add(request);
    while (this.runNext());
    return this.outcome;
  }

  get outcome(): SimulatedOutcome {
    return this.#outcome;
  }

  #arrive(request: SimulatedRequest): void {
    const startMs = this.#events.nowMs;
    this.#model.index.guesses?.expireAll(startMs);
    const decision = this.#place(request);
    const at = this.#ranks.indexOf(decision.selection.answering.rank);
    const engine = this.#engines[at];
    if (engine === undefined) throw new Error("the picked worker has no engine");
    this.#watch.picked?.(request, at, decision);
    engine.add({
      request,
      firstToken: () => {
        decision.reservation.prefillComplete();
        this.#watch.prefilled?.(request);
        this.#outcome.firstToken(this.#events.nowMs - startMs);
      },
      finished: (cachedTokens) => {
        decision.reservation.release();
        this.#watch.finished?.(request);
        this.#outcome.finished(this.#events.nowMs - startMs, cachedTokens);
        const next = request.next?.();
        if (next !== undefined) this.#events.after(next.atMs, () => this.#arrive(next));
      },
    });
    this.#outcome.arrived(at, request.promptTokens, engine.load);
    this.#step(engine);
  }

  #place({ promptTokens, hashes }: SimulatedRequest): RouteDecision {
    const subject = {
      api: "completions" as const,
      model: this.#model,
      promptTokens,
      hashes,
      bodyEdit: undefined,
      loadOnlyReason: undefined,
      demands: this.#demands(),
    };
    return this.#router.place(subject, anywhere);
  }

  #demands(): RouteDemands {
    const { order } = this.#policy;
    if (order === undefined) return noDemands;
    const at = order === "random" ? Math.floor(this.#random() * this.#ranks.length) : this.#turn++ % this.#ranks.length;
    const workerId = this.#ranks[at]?.worker.id;
    return workerId === undefined ? noDemands : { constraints: { pinned: { workerId } }, overrides: undefined };
  }

  #step(engine: SimulatedEngine): void {
    if (engine.isStepping) return;
    const step = engine.step();
    if (step === undefined) return;
    engine.isStepping = true;
    this.#events.after(step.ms, () => {
      engine.isStepping = false;
      step.end();
      this.#step(engine);
    });
  }
}

function entryOf(at: number) {
  return { name: `w${at}`, endpoint: `10.${at >>> 16}.${(at >>> 8) & 0xff}.${at & 0xff}:80` };
}
