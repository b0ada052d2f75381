import { describe, expect, it } from "vitest";
import type { QueueResult } from "../../../../src/queue/index.ts";
import { KeptResults } from "../../../../src/surface/queue/kept-results.ts";
import { SharedCalls } from "../../../../src/surface/queue/shared-calls.ts";

const key = { name: "k", fingerprint: "f" };
const never = new AbortController().signal;

function result(statusCode: number | undefined, payload = "p"): QueueResult {
  return { id: "i", statusCode, payload, errorCode: undefined, errorMessage: undefined, requestToken: undefined };
}

function set(maxEntries = 10) {
  const clock = { nowMs: 0 };
  const kept = new KeptResults({ ttlMs: 1_000, maxEntries, maxChars: 100 }, () => clock.nowMs);
  return { clock, shared: new SharedCalls(kept, 2) };
}

/** A call that ends when it is told to. */
function pending() {
  const { promise, resolve, reject } = Promise.withResolvers<QueueResult>();
  let signal: AbortSignal | undefined;
  let starts = 0;
  const start = (given: AbortSignal) => {
    starts++;
    signal = given;
    return promise;
  };
  return { start, resolve, reject, isAborted: () => signal?.aborted, starts: () => starts };
}

describe("calls of one key", () => {
  it("start once, and all have the result", async () => {
    const { shared } = set();
    const call = pending();
    const all = [shared.join(key, call.start, never), shared.join(key, call.start, never)];
    call.resolve(result(200));
    expect((await Promise.all(all)).map(({ payload }) => payload)).toEqual(["p", "p"]);
    expect(call.starts()).toBe(1);
  });

  it("end when the last caller has left", async () => {
    const { shared } = set();
    const call = pending();
    const [one, two] = [new AbortController(), new AbortController()];
    const all = [shared.join(key, call.start, one.signal), shared.join(key, call.start, two.signal)];
    one.abort(new Error("one"));
    await expect(all[0]).rejects.toThrow("one");
    expect(call.isAborted()).toBe(false);
    two.abort(new Error("two"));
    await expect(all[1]).rejects.toThrow("two");
    expect(call.isAborted()).toBe(true);
  });

  it("are another's when they ask for something else", async () => {
    const { shared, clock } = set();
    const call = pending();
    const first = shared.join(key, call.start, never);
    await expect(shared.join({ ...key, fingerprint: "g" }, call.start, never)).rejects.toMatchObject({ status: 409 });
    call.resolve(result(200));
    await first;
    await expect(shared.join({ ...key, fingerprint: "g" }, call.start, never)).rejects.toMatchObject({ status: 409 });
    clock.nowMs = 1_001;
    const later = pending();
    later.resolve(result(200, "new"));
    expect((await shared.join({ ...key, fingerprint: "g" }, later.start, never)).payload).toBe("new");
  });

  it.each([
    [200, 1],
    [400, 1],
    [429, 2],
    [503, 2],
    [undefined, 2],
  ])("after a result of %s start %i times", async (status, starts) => {
    const { shared } = set();
    const call = pending();
    call.resolve(result(status));
    await shared.join(key, call.start, never);
    await shared.join(key, call.start, never);
    expect(call.starts()).toBe(starts);
  });

  it("are no more at one time than may be", async () => {
    const { shared } = set();
    const call = pending();
    for (const name of ["a", "b"]) shared.join({ ...key, name }, call.start, never).catch(() => undefined);
    await expect(shared.join({ ...key, name: "c" }, call.start, never)).rejects.toMatchObject({ status: 429 });
  });
});

describe("kept results", () => {
  it("are forgotten by time, number and size, the oldest first", () => {
    const clock = { nowMs: 0 };
    const kept = new KeptResults({ ttlMs: 1_000, maxEntries: 2, maxChars: 10 }, () => clock.nowMs);
    for (const name of ["a", "b", "c"]) kept.keep(name, result(200, "1234"));
    expect(["a", "b", "c"].map((name) => kept.get(name) !== undefined)).toEqual([false, true, true]);
    kept.keep("d", result(200, "12345678"));
    expect(["b", "c", "d"].map((name) => kept.get(name) !== undefined)).toEqual([false, false, true]);
    clock.nowMs = 1_000;
    expect(kept.get("d")).toBeUndefined();
  });
});
