import { describe, expect, it } from "vitest";
import { hashBlocks } from "../../../src/kv/index.ts";
import { noDemands, type Placeable } from "../../../src/router/index.ts";
import { FakeClock } from "../load/fake-clock.ts";
import { blockSize, fixture } from "./fixture.ts";

const pair = [
  { name: "p", endpoint: "10.0.0.1:80", id: "1", role: "prefill" as const },
  { name: "d", endpoint: "10.0.0.2:80", id: "2", role: "decode" as const },
];
const anywhere = { subset: undefined, requestedEndpoints: undefined };

function setup(workers: Parameters<typeof fixture>[0]["workers"] = pair) {
  const clock = new FakeClock();
  const made = fixture({ workers, clock });
  const tokens = Uint32Array.from([1, 2, 3, 4, 5, 6, 7, 8]);
  const subject: Placeable = {
    api: "completions",
    model: made.model,
    promptTokens: tokens.length,
    hashes: hashBlocks(tokens, { blockSize }),
    bodyEdit: undefined,
    loadOnlyReason: undefined,
    demands: noDemands,
  };
  return { ...made, clock, subject };
}

describe("a selection that a caller reserves", () => {
  it("changes nothing before", () => {
    const { router, loads, subject } = setup();
    const selection = router.select(subject, anywhere);
    expect(router.targetOf(selection).endpoint).toBe("10.0.0.2:80");
    expect(loads.reservationCount).toBe(0);
  });

  it("books both workers of a pair under one id, and frees them together", () => {
    const { router, loads, leases, subject } = setup();
    const { lease } = router.lease(router.select(subject, anywhere));
    expect(lease).toEqual({ id: "made-1", leaseMs: 1_000 });
    expect(loads.reservationCount).toBe(2);
    leases.release(lease.id);
    expect(loads.reservationCount).toBe(0);
  });

  it("frees both when the caller is silent for the lease", () => {
    const { router, loads, leases, clock, subject } = setup();
    router.lease(router.select(subject, anywhere));
    clock.advance(1_000);
    leases.sweep();
    expect(loads.reservationCount).toBe(0);
  });

  it("frees both when the worker that answers goes", () => {
    const { router, loads, leases, catalogue, subject } = setup();
    const { lease } = router.lease(router.select(subject, anywhere));
    for (const { id, name } of [...catalogue.workers()]) if (name === "d") catalogue.remove(id);
    expect(loads.reservationCount).toBe(0);
    expect(() => leases.renew(lease.id)).toThrow(expect.objectContaining({ code: "unknown_reservation" }));
  });

  it("keeps the answer's load when only the prefill worker goes", () => {
    const { router, loads, leases, catalogue, subject } = setup();
    const { lease } = router.lease(router.select(subject, anywhere));
    for (const { id, name } of [...catalogue.workers()]) if (name === "p") catalogue.remove(id);
    expect(leases.prefillComplete(lease.id).id).toBe(lease.id);
    expect(loads.reservationCount).toBe(1);
  });

  it("is refused when one of its workers went away before it was booked", () => {
    const { router, loads, catalogue, subject } = setup();
    const selection = router.select(subject, anywhere);
    for (const { id, name } of [...catalogue.workers()]) if (name === "p") catalogue.remove(id);
    expect(() => router.lease(selection)).toThrow(expect.objectContaining({ code: "no_endpoints" }));
    expect(loads.reservationCount).toBe(0);
  });

  it("is not booked twice under one id", () => {
    const { router, loads, subject } = setup();
    router.lease(router.select(subject, anywhere), "mine");
    expect(() => router.lease(router.select(subject, anywhere), "mine")).toThrow(
      expect.objectContaining({ code: "reservation_conflict" }),
    );
    expect(loads.reservationCount).toBe(2);
  });
});
