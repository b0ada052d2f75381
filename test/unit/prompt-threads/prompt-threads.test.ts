import { Buffer } from "node:buffer";
import { Worker } from "node:worker_threads";
import { afterEach, describe, expect, it } from "vitest";
import { PromptThreads, type PromptThreadsOptions } from "../../../src/prompt-threads/index.ts";
import type { PrepareInput } from "../../../src/router/index.ts";

/** A clock that a test turns: callbacks run when it says so. */
class ManualClock {
  readonly #waiting = new Map<() => void, number>();

  after(delayMs: number, callback: () => void): () => void {
    this.#waiting.set(callback, delayMs);
    return () => this.#waiting.delete(callback);
  }

  /** Runs what waits for exactly this long. */
  elapse(delayMs: number): void {
    for (const [callback, delay] of [...this.#waiting]) {
      if (delay !== delayMs) continue;
      this.#waiting.delete(callback);
      callback();
    }
  }

  get size(): number {
    return this.#waiting.size;
  }
}

interface Fixture {
  readonly threads: PromptThreads;
  readonly clock: ManualClock;
  readonly events: string[];
  /** Resolves when an event has been told that begins with `text`. */
  event(text: string): Promise<void>;
}

const running: PromptThreads[] = [];
afterEach(async () => {
  for (const threads of running.splice(0)) await threads.close();
});

function start(options: Partial<PromptThreadsOptions> = {}): Fixture {
  const clock = new ManualClock();
  const events: string[] = [];
  const waiting: [string, () => void][] = [];
  const tell = (event: string) => {
    events.push(event);
    for (const [text, resolve] of waiting) if (event.startsWith(text)) resolve();
  };
  const threads = new PromptThreads(
    () => new Worker(new URL("./obedient-thread.ts", import.meta.url)),
    { threads: 1, jobsAtOnce: 1, maxQueued: 4, deadlineMs: 3000, ...options },
    {
      prepared: () => tell("prepared"),
      failed: (failure) => tell(failure),
      faulty: (fault) => tell(fault),
      loaded: (index, failure) => tell(`loaded ${index}: ${failure}`),
      ended: (cause) => tell(`ended: ${cause instanceof Error ? cause.message : cause}`),
    },
    clock,
  );
  running.push(threads);
  const event = (text: string) =>
    events.some((one) => one.startsWith(text))
      ? Promise.resolve()
      : new Promise<void>((resolve) => waiting.push([text, resolve]));
  return { threads, clock, events, event };
}

function input(path: string, body = "abc"): PrepareInput {
  return { path, body: Buffer.from(body), tenantIds: [], trustClient: false };
}

describe("a request for the threads", () => {
  it("comes back prepared, and its body is still there", async () => {
    const { threads } = start();
    const request = input("/ok", "xyz");
    expect(await threads.prepare(request, undefined)).toMatchObject({
      modelName: "m",
      prompt: { tokenIds: Uint32Array.of(120, 121, 122) },
    });
    expect(request.body.toString()).toBe("xyz");
  });

  it("is refused with the thread's error", async () => {
    const { threads } = start();
    await expect(threads.prepare(input("/refuse"), undefined)).rejects.toMatchObject({
      name: "RoutingError",
      code: "invalid_request",
      field: "f",
    });
  });

  it("that a fault of ours hits has an outcome, and the fault is told", async () => {
    const { threads, events } = start();
    expect(await threads.prepare(input("/fault"), undefined)).toEqual({ failure: "a prompt thread failed" });
    expect(events).toEqual(["TypeError at planted", "a prompt thread failed"]);
    expect(await threads.prepare(input("/ok"), undefined)).toHaveProperty("modelName");
  });

  it("waits in a queue, and fails when that is full", async () => {
    const { threads } = start({ maxQueued: 2 });
    const held = threads.prepare(input("/hold"), undefined);
    const waiting = [threads.prepare(input("/ok"), undefined), threads.prepare(input("/ok"), undefined)];
    expect([threads.running, threads.queued]).toEqual([1, 2]);
    expect(await threads.prepare(input("/ok"), undefined)).toEqual({ failure: "too many large prompts wait" });
    await threads.close();
    expect(await held).toEqual({ failure: "a prompt thread ended" });
    for (const outcome of await Promise.all(waiting)) expect(outcome).toEqual({ failure: "a prompt thread ended" });
  });

  it("needs no queue when a thread is free", async () => {
    const { threads } = start({ maxQueued: 0 });
    expect(await threads.prepare(input("/ok"), undefined)).toHaveProperty("modelName");
    const held = threads.prepare(input("/hold"), undefined);
    expect(await threads.prepare(input("/ok"), undefined)).toEqual({ failure: "too many large prompts wait" });
    await threads.close();
    await held;
  });

  it("passes one that takes long, in the same thread", async () => {
    const { threads } = start({ jobsAtOnce: 2 });
    const held = threads.prepare(input("/hold"), undefined);
    expect(await threads.prepare(input("/ok"), undefined)).toHaveProperty("modelName");
    await threads.prepare(input("/release"), undefined);
    expect(await held).toHaveProperty("modelName");
  });

  it("goes to another thread when its own is busy, and back to its own otherwise", async () => {
    const { threads } = start({ threads: 3 });
    const held = threads.prepare(input("/hold", "one conversation"), undefined);
    for (let turn = 0; turn < 3; turn++)
      expect(await threads.prepare(input("/ok", "one conversation"), undefined)).toHaveProperty("modelName");
    expect(threads.running).toBe(1);
    await threads.close();
    await held;
  });
});

describe("a request that takes too long", () => {
  it("fails at its deadline while it waits", async () => {
    const { threads, clock } = start();
    const held = threads.prepare(input("/hold"), undefined);
    const waiting = threads.prepare(input("/ok"), undefined);
    clock.elapse(3000);
    expect(await waiting).toEqual({ failure: "a large prompt took too long" });
    expect(await held).toEqual({ failure: "a large prompt took too long" });
    expect(threads.queued).toBe(0);
    // The thread lets go of the held one, and works on.
    expect(await threads.prepare(input("/ok"), undefined)).toHaveProperty("modelName");
  });

  it("ends its thread when that does not let go of it, and another takes its place", async () => {
    const { threads, clock, events, event } = start();
    const stuck = threads.prepare(input("/stuck"), undefined);
    clock.elapse(3000);
    expect(await stuck).toEqual({ failure: "a large prompt took too long" });
    const next = threads.prepare(input("/ok"), undefined);
    clock.elapse(6000);
    await event("ended");
    clock.elapse(100);
    expect(await next).toHaveProperty("modelName");
    expect(events).toEqual(["a large prompt took too long", expect.stringMatching(/^ended: [01]$/), "prepared"]);
  });
});

describe("a request that is aborted", () => {
  it("rejects with the reason, waiting or under way, and frees its place", async () => {
    const { threads } = start();
    const [first, second] = [new AbortController(), new AbortController()];
    const held = threads.prepare(input("/hold"), first.signal);
    const waiting = threads.prepare(input("/ok"), second.signal);
    second.abort(new Error("left"));
    await expect(waiting).rejects.toThrow("left");
    expect(threads.queued).toBe(0);
    first.abort(new Error("left, too"));
    await expect(held).rejects.toThrow("left, too");
    expect(await threads.prepare(input("/ok"), undefined)).toHaveProperty("modelName");
  });

  it("before it is handed over is not handed over", async () => {
    const { threads } = start();
    await expect(threads.prepare(input("/ok"), AbortSignal.abort(new Error("gone")))).rejects.toThrow("gone");
    expect(threads.running).toBe(0);
  });
});

describe("a thread that ends", () => {
  it.each([
    ["/throw", "ended: planted"],
    ["/exit", "ended: 3"],
  ])("by %s loses no request: those that it had fail, those that wait go to the next thread", async (path, told) => {
    const { threads, clock, events, event } = start();
    const ending = threads.prepare(input(path), undefined);
    const waiting = threads.prepare(input("/ok"), undefined);
    expect(await ending).toEqual({ failure: "a prompt thread ended" });
    await event("ended");
    expect(threads.queued).toBe(1);
    clock.elapse(100);
    expect(await waiting).toHaveProperty("modelName");
    expect(events).toEqual(["a prompt thread ended", told, "prepared"]);
  });

  it("is started again after longer and longer pauses, until it works", async () => {
    const { threads, clock, event, events } = start();
    for (const pauseMs of [100, 200, 400]) {
      events.length = 0;
      await threads.prepare(input("/exit"), undefined);
      await event("ended");
      clock.elapse(pauseMs);
    }
    expect(await threads.prepare(input("/ok"), undefined)).toHaveProperty("modelName");
    events.length = 0;
    await threads.prepare(input("/exit"), undefined);
    await event("ended");
    clock.elapse(100);
    expect(await threads.prepare(input("/ok"), undefined)).toHaveProperty("modelName");
  });

  it("is told all that threads were told before", async () => {
    const { threads, clock, event } = start();
    threads.tell({ kind: "defer", index: 0 });
    threads.tell({ kind: "defer", index: 1 });
    expect(await threads.prepare(input("/ok"), undefined)).toMatchObject({ loadOnlyReason: "2 states" });
    await threads.prepare(input("/exit"), undefined);
    await event("ended");
    clock.elapse(100);
    expect(await threads.prepare(input("/ok"), undefined)).toMatchObject({ loadOnlyReason: "2 states" });
  });
});

it("closing leaves no timer behind", async () => {
  const { threads, clock } = start();
  const held = threads.prepare(input("/hold"), undefined);
  clock.elapse(3000);
  await held;
  await threads.prepare(input("/ok"), undefined);
  await threads.close();
  expect(clock.size).toBe(0);
  expect(await threads.prepare(input("/ok"), undefined)).toEqual({ failure: "a prompt thread ended" });
});
