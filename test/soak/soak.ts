import { setTimeout as delay } from "node:timers/promises";
import { seededRandom } from "../support/load/index.ts";
import { SoakClient } from "./load/client.ts";
import { Driver } from "./load/driver.ts";
import { Mix } from "./load/mix.ts";
import type { Outcome } from "./load/outcome.ts";
import { StackTargets } from "./load/targets.ts";
import { type SoakSample, sampleProcesses } from "./samples.ts";
import { Stack, type StackOptions } from "./stack.ts";
import { underWay } from "./support/gauges.ts";
import { indexFaults } from "./support/index-check.ts";
import { lastingFaults } from "./support/lasting-faults.ts";
import { warmUpS } from "./verdict/bounds.ts";

/** How long and how hard. */
export interface SoakOptions extends StackOptions {
  readonly minutes: number;
  /** Requests a second. Default 12. */
  readonly perSecond?: number;
  readonly seed?: number;
  /** Default 15. */
  readonly sampleEveryS?: number;
  /** A worker more comes, or goes, so often, in s. Default 40. */
  readonly changeEveryS?: number;
  /** Told how it goes, in lines. */
  readonly tell?: (line: string) => void;
}

/** What was seen in a soak. */
export interface SoakRecord {
  readonly minutes: number;
  readonly seed: number;
  readonly samples: readonly SoakSample[];
  /** Requests by kind and way, how many of each there were. */
  readonly counts: Readonly<Record<string, number>>;
  /** The first of them, whole. */
  readonly failures: readonly Outcome[];
  readonly failureCount: number;
  readonly requests: number;
  readonly heldBack: number;
  readonly workersChanged: number;
  /** What was not back to zero after the load; empty = all was. */
  readonly leftOver: readonly string[];
  readonly indexFaults: readonly string[];
  /** How each program ended. */
  readonly endings: Readonly<Record<string, string>>;
  /** CPU of all programs and of this process over the load, as a share of one core. */
  readonly cores: number;
  readonly traces: number;
}

/** Of the rate, while processes warm up. */
const longestShare = 0.01;

/** Runs the whole stack under a mixed load, and records what it holds. */
export class Soak {
  readonly #options: Required<SoakOptions>;
  readonly #stack: Stack;
  readonly #samples: SoakSample[] = [];
  readonly #counts: Record<string, number> = {};
  readonly #failures: Outcome[] = [];
  /** Workers that come and go. */
  readonly #passing = new Set<string>();
  #failureCount = 0;
  #requests = 0;
  #changes = 0;

  private constructor(options: Required<SoakOptions>, stack: Stack) {
    this.#options = options;
    this.#stack = stack;
  }

  static async run(options: SoakOptions): Promise<SoakRecord> {
    const defaults = { perSecond: 12, seed: 1, sampleEveryS: 15, changeEveryS: 40, tell: () => undefined };
    const all = { workers: 3, gpuBlocks: 8_192, hasInjected: true, ...defaults, ...options };
    all.tell("starting: Envoy, two pickers, two proxies, route API, queue, Redis, Valkey, workers");
    const stack = await Stack.start(all);
    try {
      return await new Soak(all, stack).#run();
    } finally {
      await stack.stop();
    }
  }

  async #run(): Promise<SoakRecord> {
    const { minutes, seed, tell, perSecond } = this.#options;
    const random = seededRandom(seed);
    const client = new SoakClient();
    const targets = new StackTargets(this.#stack);
    const mix = new Mix(client, targets, { random });
    const onOutcome = (outcome: Outcome) => this.#note(outcome);
    const driver = new Driver(() => mix.one(), { perSecond, random, onOutcome });
    const startedAt = performance.now();
    const ownCpu = process.cpuUsage();
    driver.start();
    const stop = new AbortController();
    const changing = this.#changeWorkers(stop.signal);
    const warmingUp = this.#warmUp(mix, onOutcome, stop.signal);
    try {
      // A change that fails ends the soak at once.
      await Promise.race([this.#watch(startedAt, driver, minutes * 60), changing]);
    } finally {
      stop.abort();
      tell("the load ends");
      await driver.stop();
      await Promise.all([changing, warmingUp]);
    }
    const { user, system } = process.cpuUsage(ownCpu);
    const cores = this.#cores((user + system) / 1e6);
    targets.close();
    await client.close();
    const leftOver = await this.#drained();
    const faults = leftOver.length === 0 ? await this.#indexFaults() : [];
    const traces = this.#stack.collector.messages;
    const record = { minutes, seed, samples: this.#samples, counts: this.#counts, failures: this.#failures };
    const numbers = { failureCount: this.#failureCount, requests: this.#requests, heldBack: driver.heldBack, cores };
    const workersChanged = this.#changes;
    const endings = await this.#end();
    return { ...record, ...numbers, workersChanged, leftOver, indexFaults: faults, endings, traces };
  }

  /** The longest requests are rare, and each process has to have had some before its memory is watched. */
  async #warmUp(mix: Mix, onOutcome: (outcome: Outcome) => void, signal: AbortSignal): Promise<void> {
    const { minutes, perSecond } = this.#options;
    const random = seededRandom(this.#options.seed + 1);
    const driver = new Driver(() => mix.longest(), { perSecond: perSecond * longestShare, random, onOutcome });
    driver.start();
    await delay(0.8 * warmUpS(minutes) * 1_000, undefined, { signal }).catch(() => undefined);
    await driver.stop();
  }

  #note(outcome: Outcome): void {
    this.#requests++;
    const name = `${outcome.way}: ${outcome.kind}`;
    this.#counts[name] = (this.#counts[name] ?? 0) + 1;
    if (outcome.failure === undefined) return;
    this.#failureCount++;
    if (this.#failures.length < 200) this.#failures.push(outcome);
    if (this.#failureCount > 20) return;
    this.#options.tell(`failed: ${name}: ${outcome.failure}`);
    // Its line comes after the answer.
    setTimeout(() => this.#tellOfGateway(outcome), 1_000).unref();
  }

  #tellOfGateway({ id, way }: Outcome): void {
    if (way === "gateway") for (const line of this.#stack.envoy.logged(id)) this.#options.tell(`Envoy: ${line}`);
  }

  async #watch(startedAt: number, driver: Driver, seconds: number): Promise<void> {
    const endMs = startedAt + seconds * 1_000;
    for (let nextMs = startedAt; performance.now() < endMs; nextMs += this.#options.sampleEveryS * 1_000) {
      const pauseMs = Math.min(nextMs, endMs) - performance.now();
      if (pauseMs > 0) await delay(pauseMs);
      this.#stack.assertAllRun();
      const seen = await sampleProcesses(this.#stack, this.#passing);
      const atS = (performance.now() - startedAt) / 1_000;
      const load = { requests: this.#requests, failures: this.#failureCount, underWay: driver.underWay };
      this.#samples.push({ atS, ...seen, ...load });
      this.#tellProgress(seconds);
    }
  }

  #tellProgress(seconds: number): void {
    const last = this.#samples.at(-1);
    if (last === undefined) return;
    const heaps = Object.entries(last.processes)
      .filter(([, { heap }]) => heap !== undefined)
      .map(([name, { heap, rssBytes }]) => `${name} ${inMiB(heap?.heapUsed)}/${inMiB(rssBytes)}`);
    const done = `${last.atS.toFixed(0)} of ${seconds} s, ${last.requests} requests, ${last.failures} failed, ${last.underWay} under way`;
    this.#options.tell(`${done}; MiB heap/RSS: ${heaps.join(" ")}`);
  }

  /** One worker more, and again one less. */
  async #changeWorkers(signal: AbortSignal): Promise<void> {
    for (;;) {
      await delay(this.#options.changeEveryS * 1_000, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const name = `worker-${this.#options.workers + 1 + Math.floor(this.#changes / 2)}`;
      this.#passing.add(name);
      const present = this.#stack.workers.get(name);
      if (present === undefined) await this.#stack.addWorker();
      else await this.#stack.retireWorker(present);
      this.#changes += 1;
    }
  }

  #cores(ownCpuS: number): number {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)];
    if (first === undefined || last === undefined || last === first) return 0;
    let cpuS = ownCpuS;
    for (const [name, { cpuS: end }] of Object.entries(last.processes))
      cpuS += end - (first.processes[name]?.cpuS ?? 0);
    return cpuS / (last.atS - first.atS);
  }

  /** What is left under way half a minute after the load; empty when all has ended. */
  async #drained(): Promise<readonly string[]> {
    const limits = { what: "everything to end", timeoutMs: 40_000, intervalMs: 500 };
    return await lastingFaults(() => underWay(this.#stack), limits);
  }

  async #indexFaults(): Promise<readonly string[]> {
    const limits = { what: "the indexes", timeoutMs: 20_000, intervalMs: 500 };
    return await lastingFaults(() => indexFaults(this.#stack), limits);
  }

  async #end(): Promise<Readonly<Record<string, string>>> {
    const endings: Record<string, string> = {};
    for (const component of this.#stack.components.toReversed()) endings[component.name] = await component.end();
    return endings;
  }
}

function inMiB(bytes: number | undefined): string {
  return ((bytes ?? 0) / 1_048_576).toFixed(0);
}
