import { afterEach, describe, expect, it } from "vitest";
import { Catalogue, type HealthOptions, HealthProber, type Timers, type WorkerSpec } from "../../../src/fleet/index.ts";
import { idOf, specOf } from "./worker-specs.ts";

/** Timers that run when told. */
class FakeTimers implements Timers {
  now = 0;
  #pending: { at: number; task: () => void }[] = [];

  after(delayMs: number, task: () => void): () => void {
    const entry = { at: this.now + delayMs, task };
    this.#pending.push(entry);
    return () => {
      this.#pending = this.#pending.filter((other) => other !== entry);
    };
  }

  /** Time until each pending task, ascending. */
  get waits(): number[] {
    return this.#pending.map(({ at }) => at - this.now).sort((a, b) => a - b);
  }

  /** Lets time pass, with every task in its turn and what it starts settled. */
  async advance(ms: number): Promise<void> {
    const end = this.now + ms;
    for (;;) {
      const next = this.#pending.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#pending = this.#pending.filter((other) => other !== next);
      this.now = next.at;
      next.task();
      await new Promise(setImmediate);
    }
    this.now = end;
  }
}

class FakeProbe {
  readonly asked: string[] = [];
  readonly down = new Set<string>();
  isClosed = false;

  async check(endpoint: string, path: string): Promise<void> {
    this.asked.push(`${endpoint}${path}`);
    if (this.down.has(endpoint)) throw new Error("refused");
  }

  close(): void {
    this.isClosed = true;
  }
}

const endpoint = "10.0.0.1:8000";
const probers: HealthProber[] = [];
afterEach(async () => {
  for (const prober of probers.splice(0)) await prober.close();
});

function setUp(options: HealthOptions = {}, spec: Partial<WorkerSpec> = {}) {
  const catalogue = new Catalogue();
  const worker = catalogue.put(specOf(1, spec));
  const timers = new FakeTimers();
  const probe = new FakeProbe();
  const prober = new HealthProber(catalogue, { jitter: 0, ...options }, { timers, probe, random: () => 0.5 });
  probers.push(prober);
  return { catalogue, worker, timers, probe, prober };
}

describe("HealthProber", () => {
  it("probes each worker's own path at its interval", async () => {
    const { catalogue, timers, probe } = setUp({ intervalMs: 1_000 });
    catalogue.put(specOf(2, { healthPath: "/live" }));
    await timers.advance(0);
    expect(probe.asked).toEqual([`${endpoint}/health`, "10.0.0.2:8000/live"]);
    await timers.advance(999);
    expect(probe.asked).toHaveLength(2);
    await timers.advance(1);
    expect(probe.asked).toHaveLength(4);
  });

  it("calls a worker healthy after its first good probe", async () => {
    const { worker, timers } = setUp();
    expect(worker.health).toBe("unknown");
    await timers.advance(0);
    expect(worker.health).toBe("healthy");
  });

  it("calls a worker unhealthy after so many failures in a row, not before, and back after so many successes", async () => {
    const { worker, timers, probe } = setUp({ intervalMs: 100, failureThreshold: 2, successThreshold: 2 });
    await timers.advance(0);
    probe.down.add(endpoint);
    await timers.advance(100);
    expect(worker.health).toBe("healthy");
    await timers.advance(100);
    expect(worker.health).toBe("unhealthy");
    probe.down.clear();
    await timers.advance(100);
    expect(worker.health).toBe("unhealthy");
    await timers.advance(100);
    expect(worker.health).toBe("healthy");
  });

  it("counts failures in a row only", async () => {
    const { worker, timers, probe } = setUp({ intervalMs: 100, failureThreshold: 2 });
    for (let i = 0; i < 3; i++) {
      probe.down.add(endpoint);
      await timers.advance(100);
      probe.down.clear();
      await timers.advance(100);
    }
    expect(worker.health).toBe("healthy");
  });

  it("marks a worker at once when a request could not reach it, and asks it at once", async () => {
    const { worker, timers, probe, prober } = setUp({ intervalMs: 10_000 });
    await timers.advance(0);
    probe.down.add(endpoint);
    prober.reportFailure(worker);
    prober.reportFailure(worker);
    expect(worker.health).toBe("unhealthy");
    expect(timers.waits).toEqual([0]);
    await timers.advance(0);
    expect(worker.health).toBe("unhealthy");
    probe.down.clear();
    await timers.advance(10_000);
    expect(worker.health).toBe("healthy");
  });

  it("hears from the catalogue how requests fared", async () => {
    const { catalogue, worker, timers } = setUp({ intervalMs: 10_000 });
    await timers.advance(0);
    catalogue.noteTry(worker, false);
    expect(worker.health).toBe("unhealthy");
    catalogue.noteTry(worker, true);
    expect(worker.health).toBe("healthy");
    const next = catalogue.put(specOf(1, { incarnation: "second" }));
    catalogue.noteTry(worker, false);
    expect(next.health).toBe("unknown");
  });

  it("lifts the mark when the worker answers a request, but not the probes' own verdict", async () => {
    const { worker, timers, probe, prober } = setUp({ intervalMs: 100, failureThreshold: 1 });
    await timers.advance(0);
    prober.reportFailure(worker);
    prober.reportSuccess(worker);
    expect(worker.health).toBe("healthy");
    probe.down.add(endpoint);
    await timers.advance(100);
    prober.reportSuccess(worker);
    expect(worker.health).toBe("unhealthy");
  });

  it("marks after so many failed requests in a row, or never", () => {
    const twice = setUp({ requestFailureThreshold: 2 });
    twice.prober.reportFailure(twice.worker);
    twice.prober.reportSuccess(twice.worker);
    twice.prober.reportFailure(twice.worker);
    expect(twice.worker.health).toBe("unknown");
    twice.prober.reportFailure(twice.worker);
    expect(twice.worker.health).toBe("unhealthy");
    const never = setUp({ requestFailureThreshold: 0 });
    for (let i = 0; i < 9; i++) never.prober.reportFailure(never.worker);
    expect(never.worker.health).toBe("unknown");
  });

  it.each([
    { name: "probes are off", options: { intervalMs: 0 }, spec: {} },
    { name: "the worker has no health path", options: { intervalMs: 100 }, spec: { healthPath: undefined } },
  ])("lets a mark end by itself where $name", async ({ options, spec }) => {
    const { worker, timers, probe, prober } = setUp({ ...options, requestFailureHoldMs: 5_000 }, spec);
    prober.reportFailure(worker);
    await timers.advance(4_999);
    expect(worker.health).toBe("unhealthy");
    await timers.advance(1);
    expect(worker.health).toBe("unknown");
    expect(probe.asked).toEqual([]);
  });

  it("spreads probes by the jitter", async () => {
    const catalogue = new Catalogue();
    catalogue.put(specOf(1));
    const timers = new FakeTimers();
    const draws = [0.5, 0, 1];
    const random = () => draws.shift() ?? 0.5;
    const options = { intervalMs: 1_000, jitter: 0.2 };
    probers.push(new HealthProber(catalogue, options, { timers, probe: new FakeProbe(), random }));
    expect(timers.waits).toEqual([100]);
    await timers.advance(100);
    expect(timers.waits).toEqual([900]);
    await timers.advance(900);
    expect(timers.waits).toEqual([1_100]);
  });

  it("stops asking a worker that is gone, and watches its successor afresh", async () => {
    const { catalogue, worker, timers, probe, prober } = setUp({ intervalMs: 100 });
    await timers.advance(0);
    catalogue.remove(idOf(1));
    expect(timers.waits).toEqual([]);
    prober.reportFailure(worker);
    const next = catalogue.put(specOf(1, { incarnation: "second" }));
    probe.down.add(endpoint);
    await timers.advance(0);
    expect([next.health, probe.asked.length]).toEqual(["unknown", 2]);
  });

  it("ends the probe under way when its worker goes, and asks no more", async () => {
    const catalogue = new Catalogue();
    const worker = catalogue.put(specOf(1));
    const timers = new FakeTimers();
    const signals: AbortSignal[] = [];
    const probe = {
      check: (_endpoint: string, _path: string, signal: AbortSignal) => {
        signals.push(signal);
        return new Promise<void>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      },
      close: () => {},
    };
    probers.push(new HealthProber(catalogue, {}, { timers, probe, random: () => 0 }));
    await timers.advance(0);
    catalogue.remove(idOf(1));
    await new Promise(setImmediate);
    expect([signals.map(({ aborted }) => aborted), timers.waits, worker.health]).toEqual([[true], [], "unknown"]);
  });

  describe("bad answers", () => {
    const options: HealthOptions = { intervalMs: 100, badAnswerThreshold: 3, badAnswerHoldMs: 1_000 };

    it("take a worker out after so many in a row, for a time, whatever probes and answers under way say", async () => {
      const { worker, timers, prober } = setUp(options);
      await timers.advance(0);
      for (let i = 0; i < 3; i++) {
        expect(worker.health).toBe("healthy");
        prober.reportBadAnswer(worker);
      }
      expect(worker.health).toBe("unhealthy");
      prober.reportSuccess(worker);
      await timers.advance(999);
      expect(worker.health).toBe("unhealthy");
      await timers.advance(1);
      expect(worker.health).toBe("healthy");
    });

    it("count in a row only", async () => {
      const { worker, timers, prober } = setUp(options);
      await timers.advance(0);
      for (let i = 0; i < 9; i++) {
        prober.reportBadAnswer(worker);
        if (i % 2 === 1) prober.reportSuccess(worker);
      }
      expect(worker.health).toBe("healthy");
    });

    it("need only one more after that time, and again so many after a good answer", async () => {
      const { worker, timers, prober } = setUp(options);
      for (let i = 0; i < 3; i++) prober.reportBadAnswer(worker);
      await timers.advance(1_000);
      expect(worker.health).toBe("healthy");
      prober.reportBadAnswer(worker);
      expect(worker.health).toBe("unhealthy");
      await timers.advance(1_000);
      prober.reportSuccess(worker);
      prober.reportBadAnswer(worker);
      expect(worker.health).toBe("healthy");
    });

    it("leave it out while probes fail, and need none where there are none", async () => {
      const { worker, timers, probe, prober } = setUp(options);
      await timers.advance(0);
      probe.down.add(endpoint);
      for (let i = 0; i < 3; i++) prober.reportBadAnswer(worker);
      await timers.advance(3_000);
      expect(worker.health).toBe("unhealthy");
      const unprobed = setUp({ ...options, intervalMs: 0 });
      for (let i = 0; i < 3; i++) unprobed.prober.reportBadAnswer(unprobed.worker);
      expect(unprobed.worker.health).toBe("unhealthy");
      await unprobed.timers.advance(1_000);
      expect(unprobed.worker.health).not.toBe("unhealthy");
    });
  });

  it("leaves nothing behind when closed", async () => {
    const { catalogue, timers, probe, prober } = setUp();
    await timers.advance(0);
    await prober.close();
    catalogue.put(specOf(2));
    expect([timers.waits, probe.isClosed]).toEqual([[], true]);
  });

  it.each<[string, HealthOptions]>([
    ["health.intervalMs", { intervalMs: -1 }],
    ["health.intervalMs", { intervalMs: 2 ** 31 }],
    ["health.timeoutMs", { timeoutMs: 0 }],
    ["health.jitter", { jitter: 1.5 }],
    ["health.failureThreshold", { failureThreshold: 0 }],
    ["health.successThreshold", { successThreshold: 1.5 }],
    ["health.requestFailureThreshold", { requestFailureThreshold: -1 }],
    ["health.requestFailureHoldMs", { requestFailureHoldMs: Number.NaN }],
    ["health.badAnswerThreshold", { badAnswerThreshold: -1 }],
    ["health.badAnswerHoldMs", { badAnswerHoldMs: 0 }],
  ])("refuses a bad %s", (name, options) => {
    expect(() => new HealthProber(new Catalogue(), options)).toThrow(name);
  });
});
