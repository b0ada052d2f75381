import { memoryUsage } from "node:process";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { Metrics, RefusalLog } from "../../../src/telemetry/index.ts";

function log(maxRefusals: number) {
  let now = 1_000;
  return new RefusalLog({ maxRefusals }, () => now++);
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

describe("the log of refusals", () => {
  it("does not keep the bodies and headers alive that its texts are parts of", () => {
    const refusals = log(100);
    collect();
    const before = memoryUsage().heapUsed;
    for (let i = 0; i < 100; i++) {
      const body = Buffer.from(`${i} ${"a key of a body ".repeat(1 << 15)}`).toString("latin1");
      const [field, requestId] = [body.slice(0, 64), body.slice(200, 400)];
      refusals.add({ surface: "proxy", code: "invalid_request", field, requestId });
    }
    collect();
    expect(refusals.recent(100)).toHaveLength(100);
    expect(memoryUsage().heapUsed - before).toBeLessThan(5 << 20);
  });

  it("has the latest ones, the newest first, and counts all", () => {
    const refusals = log(3);
    for (const code of ["no_endpoints", "saturated", "unknown_model", "not_ready", "evicted"]) {
      refusals.add({ surface: "proxy", code });
    }
    expect(refusals.recent(10).map(({ number, code, status, atMs }) => [number, code, status, atMs])).toEqual([
      [5, "evicted", 429, 1_004],
      [4, "not_ready", 503, 1_003],
      [3, "unknown_model", 404, 1_002],
    ]);
    expect(refusals.recent(2).map(({ number }) => number)).toEqual([5, 4]);
    expect(refusals.count).toBe(5);
  });

  it("has what there is before it is full", () => {
    const refusals = log(3);
    expect(refusals.recent(10)).toEqual([]);
    refusals.add({ surface: "queue", code: "queue_lost", status: 503 });
    refusals.add({ surface: "queue", code: "internal" });
    expect(refusals.recent(10).map(({ code, status }) => [code, status])).toEqual([
      ["internal", 500],
      ["queue_lost", 503],
    ]);
  });

  it("keeps no words that may be of a request's body", () => {
    const refusals = log(9);
    const message = "what the client was told";
    for (const code of ["invalid_request", "unprocessable", "not_implemented", "worker_failed", "internal", "other"]) {
      refusals.add({ surface: "proxy", code, message, field: "messages[0].content" });
    }
    expect(refusals.recent(9).map(({ reason, field }) => [reason, field])).toEqual(
      Array.from({ length: 6 }, () => [undefined, "messages[0].content"]),
    );
    refusals.add({ surface: "proxy", code: "no_endpoints", message });
    expect(refusals.recent(1)[0]?.reason).toBe(message);
  });

  it("keeps the beginning of what is long", () => {
    const refusals = log(1);
    const long = "x".repeat(10_000);
    refusals.add({ surface: "proxy", code: "unknown_model", message: long, field: long, requestId: long });
    const [kept] = refusals.recent(1);
    expect([kept?.reason?.length, kept?.field?.length, kept?.requestId?.length]).toEqual([512, 128, 128]);
  });

  it("of size 0 only counts", () => {
    const refusals = log(0);
    refusals.add({ surface: "proxy", code: "saturated" });
    expect([refusals.recent(10), refusals.count]).toEqual([[], 1]);
    expect(() => log(-1)).toThrow("decisions.maxRefusals must be >= 0, got -1");
  });

  it("takes what gateways' requests failed with, and is what the totals count", () => {
    const metrics = new Metrics({ models: [], version: "1" });
    metrics.requests.failed({ code: "no_endpoints", message: "nobody", requestId: "a", durationMs: 1 });
    metrics.refusals.add({ surface: "proxy", code: "saturated" });
    expect(metrics.requests.totals().refusals).toBe(2);
    expect(metrics.refusals.recent(2)[1]).toMatchObject({
      surface: "ext-proc",
      code: "no_endpoints",
      status: 503,
      reason: "nobody",
      requestId: "a",
    });
  });
});
