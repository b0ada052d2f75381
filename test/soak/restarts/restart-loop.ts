import { until } from "../../e2e/support/until.ts";
import { seededRandom } from "../../support/load/index.ts";
import { SoakClient } from "../load/client.ts";
import { Driver } from "../load/driver.ts";
import { Mix } from "../load/mix.ts";
import type { Outcome } from "../load/outcome.ts";
import { StackTargets } from "../load/targets.ts";
import { Stack } from "../stack.ts";
import { underWay } from "../support/gauges.ts";
import { indexFaults } from "../support/index-check.ts";
import { lastingFaults } from "../support/lasting-faults.ts";
import { type Deed, deeds } from "./deeds.ts";
import { type Excuse, isExcused } from "./excuses.ts";
import { Probe } from "./probe.ts";
import { roundsOf } from "./rounds.ts";

/** Answers that have come before anything is taken away. */
const loadedRequests = 8;
/** Longest time for the load to be answered, and for what was under way to end. A busy machine needs a large part of it. */
const patientMs = 180_000;

/** How much is done. */
export interface RestartOptions {
  /** Of the deeds, in an order by the seed; each comes once before any comes again. */
  readonly steps: number;
  readonly seed?: number;
  /** Requests a second. Default 6. */
  readonly perSecond?: number;
  /** Only deeds whose name has this. Default: all. */
  readonly only?: string;
  /** Whether deeds that have nothing to do with each other are done at once. Default false. */
  readonly atOnce?: boolean;
  readonly tell?: (line: string) => void;
}

/** Deeds that were done at once. */
export interface RestartStep {
  readonly names: readonly string[];
  readonly seconds: number;
  /** Requests that failed because they had to. */
  readonly excused: number;
}

/** What came of it. */
export interface RestartRecord {
  readonly steps: readonly RestartStep[];
  readonly requests: number;
  /** What should not have been, in words. */
  readonly faults: readonly string[];
}

/** Takes every part of the stack away under load, one after the other, and gives it back. */
export class RestartLoop {
  readonly #stack: Stack;
  readonly #options: Required<RestartOptions>;
  readonly #random: () => number;
  readonly #client = new SoakClient();
  readonly #targets: StackTargets;
  readonly #mix: Mix;
  readonly #probe: Probe;
  readonly #failed: Outcome[] = [];
  readonly #faults: string[] = [];
  readonly #steps: RestartStep[] = [];
  #requests = 0;

  private constructor(options: Required<RestartOptions>, stack: Stack) {
    this.#options = options;
    this.#stack = stack;
    this.#random = seededRandom(options.seed);
    this.#targets = new StackTargets(stack);
    this.#mix = new Mix(this.#client, this.#targets, { random: this.#random, hasAll: false });
    this.#probe = new Probe(stack, this.#client, this.#random);
  }

  static async run(options: RestartOptions): Promise<RestartRecord> {
    const all = { seed: 1, perSecond: 6, only: "", atOnce: false, tell: () => undefined, ...options };
    const stack = await Stack.start({ gpuBlocks: 4_096, hasInjected: false });
    try {
      return await new RestartLoop(all, stack).#run();
    } finally {
      await stack.stop();
    }
  }

  async #run(): Promise<RestartRecord> {
    try {
      const order = this.#order();
      const rounds = this.#options.atOnce ? roundsOf(order) : order.map((deed) => [deed]);
      for (const [i, round] of rounds.entries()) {
        const names = round.map(({ name }) => name);
        this.#options.tell(`${i + 1} of ${rounds.length}: ${names.join("; ")}`);
        await this.#step(round, names);
      }
    } finally {
      this.#targets.close();
      await this.#client.close();
    }
    return { steps: this.#steps, requests: this.#requests, faults: this.#faults };
  }

  #order(): readonly Deed[] {
    const eligible = deeds.filter(({ name }) => name.includes(this.#options.only));
    if (eligible.length === 0) throw new RangeError(`no deed's name has "${this.#options.only}"`);
    const order: Deed[] = [];
    while (order.length < this.#options.steps) {
      const left = [...eligible];
      while (left.length > 0) order.push(...left.splice(Math.floor(this.#random() * left.length), 1));
    }
    return order.slice(0, this.#options.steps);
  }

  async #step(round: readonly Deed[], names: readonly string[]): Promise<void> {
    const startedAt = performance.now();
    const what = names.join("; ");
    const excuses = await this.#underLoad(() => this.#doAll(round));
    const excused = this.#judge(what, excuses);
    await this.#recovered(what);
    this.#stack.assertAllRun();
    this.#steps.push({ names, seconds: (performance.now() - startedAt) / 1_000, excused });
  }

  async #underLoad<T>(run: () => Promise<T>): Promise<T> {
    const { perSecond } = this.#options;
    const driver = new Driver(() => this.#mix.one(), {
      perSecond,
      random: this.#random,
      onOutcome: (outcome) => this.#note(outcome),
    });
    driver.start();
    try {
      const enough = this.#requests + loadedRequests;
      await until(() => this.#requests >= enough, { what: "answers to the load", timeoutMs: patientMs });
      return await run();
    } finally {
      await driver.stop();
    }
  }

  /** Returns when all have come to their end, whatever it is. */
  async #doAll(round: readonly Deed[]): Promise<readonly Excuse[]> {
    const ends = await Promise.allSettled(round.map((deed) => deed.run(this.#stack, this.#random)));
    return ends.flatMap((end) => {
      if (end.status === "rejected") throw end.reason;
      return end.value;
    });
  }

  #note(outcome: Outcome): void {
    this.#requests++;
    if (outcome.failure !== undefined) this.#failed.push(outcome);
  }

  /** Which failures had to be. Returns their number. */
  #judge(name: string, excuses: readonly Excuse[]): number {
    const failed = this.#failed.splice(0);
    const unexcused = failed.filter((outcome) => !isExcused(outcome, excuses));
    for (const { id, way, kind, failure, startMs, endMs } of unexcused) {
      const times = excuses.map(
        ({ fromMs, toMs }) => `${(startMs - fromMs).toFixed(0)}..${(endMs - toMs).toFixed(0)} ms`,
      );
      const lines = way === "gateway" ? this.#stack.envoy.logged(id) : [];
      this.#fault(`${name}: ${way}: ${kind} failed: ${failure} ${times.join()} ${lines.join()}`);
    }
    return failed.length - unexcused.length;
  }

  /** Nothing is left under way, every index is what the workers hold, and what they hold is found. */
  async #recovered(name: string): Promise<void> {
    await this.#comesTrue(`${name}: under way`, () => underWay(this.#stack));
    await this.#comesTrue(`${name}: index`, () => indexFaults(this.#stack));
    for (const fault of await this.#probe.faults()) this.#fault(`${name}: ${fault}`);
  }

  async #comesTrue(what: string, faultsOf: () => Promise<readonly string[]>): Promise<void> {
    const faults = await lastingFaults(faultsOf, { what, timeoutMs: patientMs, intervalMs: 250 });
    for (const fault of faults) this.#fault(`${what}: ${fault}`);
  }

  #fault(text: string): void {
    this.#faults.push(text);
    this.#options.tell(`FAULT ${text}`);
  }
}
