import { describe, expect, it } from "vitest";
import { fanOut } from "../../../../src/surface/decisions/fan-out.ts";

const quiet = new AbortController().signal;

/** Work that is done when it is told to. */
function manual() {
  const running = new Map<number, { done: (value: string) => void; failed: (cause: Error) => void }>();
  const work = (_item: string, at: number, signal: AbortSignal) =>
    new Promise<string>((done, failed) => {
      running.set(at, { done, failed });
      signal.addEventListener("abort", () => failed(signal.reason as Error), { once: true });
    });
  return { running, work };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe("a fan-out", () => {
  it("runs as many at one time as it may, and keeps the order of results", async () => {
    const { running, work } = manual();
    const results = fanOut(["a", "b", "c"], 2, quiet, work);
    expect([...running.keys()]).toEqual([0, 1]);
    running.get(1)?.done("B");
    await turn();
    expect([...running.keys()]).toEqual([0, 1, 2]);
    running.get(2)?.done("C");
    running.get(0)?.done("A");
    expect(await results).toEqual(["A", "B", "C"]);
  });

  it("begins nothing after the first failure, aborts what runs, and tells that failure", async () => {
    const { running, work } = manual();
    const results = fanOut(["a", "b", "c"], 2, quiet, work);
    running.get(0)?.failed(new Error("first"));
    await expect(results).rejects.toThrow("first");
    expect([...running.keys()]).toEqual([0, 1]);
  });

  it("ends with the signal's reason", async () => {
    const { running, work } = manual();
    const left = new AbortController();
    const results = fanOut(["a", "b"], 1, left.signal, work);
    left.abort(new Error("left"));
    await expect(results).rejects.toThrow("left");
    expect([...running.keys()]).toEqual([0]);
  });

  it("of nothing has no results", async () => {
    expect(await fanOut([], 4, quiet, manual().work)).toEqual([]);
  });
});
