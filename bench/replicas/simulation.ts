import { Catalogue, staticWorkers } from "../../src/fleet/index.ts";
import { PrefixIndex } from "../../src/kv/index.ts";
import { LeaseTable, LoadTable, LoadView, noThresholds, SiblingLoads } from "../../src/load/index.ts";
import { resolvePickOptions, SessionTable } from "../../src/pick/index.ts";
import { BlockCache, engineFigures, SimulatedEngine, seededRandom } from "../../src/replay/index.ts";
import { ReplicaLoads } from "../../src/replicas/index.ts";
import { ModelRegistry, noAdmission, noDemands, Router, resolveDisaggregation } from "../../src/router/index.ts";
import type { BurstRequest } from "./bursts.ts";
import { VirtualTime } from "./virtual-time.ts";

/** What replicas know of each other. */
export interface Sharing {
  readonly name: string;
  readonly replicas: number;
  /** Undefined: nothing. */
  readonly options?: SharingOptions;
}

/** How they tell each other. */
export interface SharingOptions {
  readonly heartbeatMs: number;
  readonly coalesceMs: number;
  /** From a sender over Redis to a listener: at least and at most, in ms. */
  readonly way: readonly [atLeast: number, atMost: number];
  /** Whether what is on its way is guessed, as the product does. */
  readonly isGuessing: boolean;
}

/** What came of the bursts. */
export interface BurstOutcome {
  /** Prompt tokens by worker, of each burst. */
  readonly spread: readonly (readonly number[])[];
  readonly ttftMs: readonly number[];
  readonly messages: number;
}

interface Picker {
  readonly router: Router;
  readonly sharing: ReplicaLoads | undefined;
}

/** From an engine's change to all replicas' knowing of it. */
const eventDelayMs = 5;

/** Plays bursts in virtual time on several pickers in front of the same engines. Everything but the engines is the product's. */
export class ReplicaSimulation {
  readonly #random: () => number;
  readonly #time: VirtualTime;
  readonly #catalogue = new Catalogue();
  readonly #index = new PrefixIndex({ blockSize: engineFigures.blockSize, maxBlocks: 1 << 20 });
  readonly #model = { name: "m", aliases: [], pipeline: undefined, index: this.#index };
  readonly #engines: readonly SimulatedEngine[];
  readonly #pickers: readonly Picker[];
  readonly #ttftMs: number[] = [];
  readonly #spread: number[][] = [];
  #messages = 0;
  #running = 0;

  constructor({ replicas, options }: Sharing, workers: number, seed: number) {
    this.#random = seededRandom(seed + 7_919);
    this.#time = new VirtualTime(this.#random);
    const entries = Array.from({ length: workers }, (_, i) => ({ name: `w${i}`, endpoint: `10.0.0.${i + 1}:80` }));
    this.#catalogue.replaceAll(staticWorkers(entries));
    const tell = (change: (index: PrefixIndex) => void) => this.#time.after(eventDelayMs, () => change(this.#index));
    this.#engines = this.#ranks().map(
      ({ slot }) => new SimulatedEngine(engineFigures, new BlockCache(engineFigures.cacheBlocks, slot, tell)),
    );
    this.#pickers = Array.from({ length: replicas }, (_, i) => this.#picker(`replica-${i}`, options));
    for (const { sharing } of this.#pickers) sharing?.connected();
  }

  async run(requests: readonly BurstRequest[], bursts: number): Promise<BurstOutcome> {
    for (let burst = 0; burst < bursts; burst++) this.#spread.push(this.#engines.map(() => 0));
    this.#running = requests.length;
    for (const request of requests) this.#time.after(1_000 + request.atMs, () => this.#arrive(request));
    await this.#time.runUntil(() => this.#running === 0);
    return { spread: this.#spread, ttftMs: this.#ttftMs, messages: this.#messages };
  }

  #ranks() {
    return [...this.#catalogue.workers()].flatMap(({ ranks }) => ranks);
  }

  #picker(name: string, options: SharingOptions | undefined): Picker {
    const clock = { now: () => this.#time.now() };
    const loads = new LoadTable();
    const siblings = new SiblingLoads();
    const router = new Router(
      {
        models: new ModelRegistry([this.#model]),
        catalogue: this.#catalogue,
        loads,
        view: new LoadView(loads, noThresholds, clock, {}, siblings),
        leases: new LeaseTable({}, clock, () => "none"),
        sessions: new SessionTable({}, clock),
        random: this.#random,
      },
      {
        pick: resolvePickOptions({ prefillLoadScale: 8, crowdingRatio: 1.25, crowdingSlack: 4 }),
        disaggregation: resolveDisaggregation(),
        admission: noAdmission,
        affinity: { mode: "off", softRatio: 0, softBlocks: 0 },
        maxFallbacks: 0,
        refuseUnknownShapes: false,
        maxJsonDepth: 64,
        unknownModel: "refuse",
      },
    );
    const state = { catalogue: this.#catalogue, loads, siblings };
    return { router, sharing: options && this.#sharing(name, state, options) };
  }

  #sharing(name: string, state: ConstructorParameters<typeof ReplicaLoads>[1], options: SharingOptions): ReplicaLoads {
    const { way, isGuessing, ...pauses } = options;
    // What one sends arrives in order, at each listener by a way of its own.
    const arrivals = new Map<Picker, number>();
    const publish = async (text: string) => {
      this.#messages++;
      for (const picker of this.#pickers) {
        const onWayMs = way[0] + (way[1] - way[0]) * this.#random();
        const atMs = Math.max(this.#time.now() + onWayMs, arrivals.get(picker) ?? 0);
        arrivals.set(picker, atMs);
        this.#time.after(atMs - this.#time.now(), () => picker.sharing?.receive(text));
      }
    };
    const bounds = { silentAfterMs: 1_500, maxReplicas: 64, maxRanksPerMessage: 1_024, maxMessageBytes: 262_144 };
    const ignore = { joined: () => undefined, left: () => undefined, greeted: () => undefined };
    const sink = { isOpen: () => true, publish };
    const made = new ReplicaLoads({ id: name, name }, state, sink, { ...pauses, ...bounds }, ignore, this.#time);
    if (!isGuessing) state.siblings.guessUnheard(() => ({ requests: 0, prefillTokens: 0, decodeBlocks: 0 }));
    return made;
  }

  #arrive(request: BurstRequest): void {
    const picker = this.#pickers[Math.floor(this.#random() * this.#pickers.length)];
    if (picker === undefined) throw new Error("there is no picker");
    const { promptTokens, hashes } = request;
    const subject = {
      api: "completions" as const,
      model: this.#model,
      promptTokens,
      hashes,
      bodyEdit: undefined,
      loadOnlyReason: undefined,
      demands: noDemands,
    };
    const decision = picker.router.place(subject, { subset: undefined, requestedEndpoints: undefined });
    const startMs = this.#time.now();
    const at = this.#ranks().indexOf(decision.selection.answering.rank);
    const engine = this.#engines[at];
    const counts = this.#spread[request.burst];
    if (engine === undefined || counts === undefined) throw new Error("the picked worker has no engine");
    counts[at] = (counts[at] ?? 0) + promptTokens;
    engine.add({
      request,
      firstToken: () => {
        decision.reservation.prefillComplete();
        this.#ttftMs.push(this.#time.now() - startMs);
      },
      finished: () => {
        decision.reservation.release();
        this.#running--;
      },
    });
    this.#step(engine);
  }

  #step(engine: SimulatedEngine): void {
    if (engine.isStepping) return;
    const step = engine.step();
    if (step === undefined) return;
    engine.isStepping = true;
    this.#time.after(step.ms, () => {
      engine.isStepping = false;
      step.end();
      this.#step(engine);
    });
  }
}
