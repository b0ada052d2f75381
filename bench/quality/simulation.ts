import { performance } from "node:perf_hooks";
import { Catalogue, staticWorkers, type WorkerId } from "../../src/fleet/index.ts";
import { PrefixIndex } from "../../src/kv/index.ts";
import { LeaseTable, LoadTable } from "../../src/load/index.ts";
import { type PickOptions, resolvePickOptions, SessionTable } from "../../src/pick/index.ts";
import {
  ModelRegistry,
  noAdmission,
  noDemands,
  type RouteDecision,
  Router,
  resolveDisaggregation,
} from "../../src/router/index.ts";
import { seededRandom } from "../../test/support/load/seeded-random.ts";
import { BlockCache } from "./block-cache.ts";
import { Engine, engineFigures } from "./engine.ts";
import { EventQueue } from "./event-queue.ts";
import { blockSize, type SimRequest, type Workload } from "./workload.ts";

/** Who decides where requests go. */
export interface Policy {
  readonly name: string;
  readonly pick: PickOptions;
  /** Any worker, whatever the cost says. */
  readonly isRandom?: boolean;
}

/** What came of a workload. */
export interface Outcome {
  /** Requests by worker. */
  readonly requests: readonly number[];
  /** Most requests that a worker had at once, by worker. */
  readonly peaks: readonly number[];
  readonly ttftMs: readonly number[];
  readonly totalMs: readonly number[];
  readonly promptTokens: number;
  readonly cachedTokens: number;
}

/** Time from an engine's change to the router's knowing of it. */
const eventDelayMs = 5;

/** Plays a workload in virtual time on the real router: index, load table and choice are the product's. */
export class Simulation {
  readonly #events = new EventQueue();
  readonly #engines: readonly Engine[];
  readonly #router: Router;
  readonly #index = new PrefixIndex({ blockSize, maxBlocks: 1 << 20 });
  readonly #model = { name: "m", aliases: [], pipeline: undefined, index: this.#index };
  readonly #catalogue = new Catalogue();
  readonly #random: () => number;
  readonly #policy: Policy;
  readonly #ids: readonly WorkerId[];
  readonly #outcome;

  constructor(policy: Policy, workers: number, seed: number) {
    this.#policy = policy;
    this.#random = seededRandom(seed + 7_919);
    const entries = Array.from({ length: workers }, (_, i) => ({ name: `w${i}`, endpoint: `10.0.0.${i + 1}:80` }));
    this.#catalogue.replaceAll(staticWorkers(entries));
    const live = [...this.#catalogue.workers()];
    this.#ids = live.map(({ id }) => id);
    const tell = (change: (index: PrefixIndex) => void) => this.#events.after(eventDelayMs, () => change(this.#index));
    this.#engines = live.map(
      (worker) =>
        new Engine(engineFigures, new BlockCache(engineFigures.cacheBlocks, worker.ranks[0]?.slot ?? -1, tell)),
    );
    const none = () => new Array<number>(workers).fill(0);
    this.#outcome = {
      requests: none(),
      peaks: none(),
      ttftMs: [] as number[],
      totalMs: [] as number[],
      promptTokens: 0,
      cachedTokens: 0,
    };
    this.#router = new Router(
      {
        models: new ModelRegistry([this.#model]),
        catalogue: this.#catalogue,
        loads: new LoadTable(),
        leases: new LeaseTable({}, performance, () => "none"),
        sessions: new SessionTable({}, performance),
        random: this.#random,
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

  run(workload: Workload, seed: number): Outcome {
    for (const request of workload.requests(seed)) this.#events.after(request.atMs, () => this.#arrive(request));
    this.#events.run();
    return this.#outcome;
  }

  #arrive(request: SimRequest): void {
    const startMs = this.#events.nowMs;
    const decision = this.#place(request);
    const at = this.#ids.indexOf(decision.selection.answering.rank.worker.id);
    const engine = this.#engines[at];
    if (engine === undefined) throw new Error("the picked worker has no engine");
    engine.add({
      request,
      firstToken: () => {
        decision.reservation.prefillComplete();
        this.#outcome.ttftMs.push(this.#events.nowMs - startMs);
      },
      finished: (cachedTokens) => {
        decision.reservation.release();
        this.#outcome.totalMs.push(this.#events.nowMs - startMs);
        this.#outcome.cachedTokens += cachedTokens;
        const next = request.next?.();
        if (next !== undefined) this.#events.after(next.atMs, () => this.#arrive(next));
      },
    });
    this.#outcome.promptTokens += request.promptTokens;
    this.#outcome.requests[at] = (this.#outcome.requests[at] ?? 0) + 1;
    this.#outcome.peaks[at] = Math.max(this.#outcome.peaks[at] ?? 0, engine.load);
    this.#step(engine);
  }

  #place({ promptTokens, hashes }: SimRequest): RouteDecision {
    const anyId = this.#ids[Math.floor(this.#random() * this.#ids.length)];
    const isForced = this.#policy.isRandom === true && anyId !== undefined;
    const demands = isForced ? { constraints: { pinned: { workerId: anyId } }, overrides: undefined } : noDemands;
    const subject = {
      api: "completions" as const,
      model: this.#model,
      promptTokens,
      hashes,
      bodyEdit: undefined,
      loadOnlyReason: undefined,
      demands,
    };
    return this.#router.place(subject, { subset: undefined, requestedEndpoints: undefined });
  }

  #step(engine: Engine): void {
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
