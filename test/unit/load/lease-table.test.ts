import { describe, expect, it } from "vitest";
import { LeaseTable, LoadTable, type Reservation } from "../../../src/load/index.ts";
import { FakeClock } from "./fake-clock.ts";
import { sequenceOfNumbers } from "./sequences.ts";

function setup(options: { maxLeases?: number; maxRememberedEnds?: number } = {}) {
  const clock = new FakeClock();
  const loads = new LoadTable();
  let last = 0;
  const leases = new LeaseTable({ leaseMs: 1_000, ...options }, clock, () => `made-${++last}`);
  const book = (slot = 0): Reservation =>
    loads.reserve(slot, { promptTokens: 8, cachedTokens: 0, sequence: sequenceOfNumbers([1, 2]), count: 2 });
  return { clock, loads, leases, book };
}

describe("caller-owned reservations", () => {
  it("are named to the caller, with their lease", () => {
    const { leases, book } = setup();
    expect(leases.open(book)).toEqual({ id: "made-1", leaseMs: 1_000 });
    expect(leases.open(book, "mine")).toEqual({ id: "mine", leaseMs: 1_000 });
  });

  it("free their load at the end of the lease, not before", () => {
    const { clock, loads, leases, book } = setup();
    leases.open(book);
    clock.advance(999);
    expect(leases.sweep()).toBe(0);
    expect(loads.activePrefillTokens(0)).toBe(8);
    clock.advance(1);
    expect(leases.sweep()).toBe(1);
    expect(loads.activePrefillTokens(0)).toBe(0);
    expect(loads.reservationCount).toBe(0);
  });

  it.each(["renew", "prefillComplete", "outputBlock"] as const)("are renewed by %s", (call) => {
    const { clock, leases, book } = setup();
    leases.open(book, "renewed");
    leases.open(book, "idle");
    clock.advance(900);
    expect(leases[call]("renewed")).toEqual({ id: "renewed", leaseMs: 1_000 });
    clock.advance(900);
    expect(leases.sweep()).toBe(1);
    expect(leases.size).toBe(1);
    expect(() => leases.renew("idle")).toThrow(/has expired/);
  });

  it("complete their prefill once, however often it is told", () => {
    const { loads, leases, book } = setup();
    leases.open(book, "a");
    leases.open(book, "b");
    leases.prefillComplete("a");
    leases.prefillComplete("a");
    expect(loads.activePrefillTokens(0)).toBe(8);
    expect(loads.activeDecodeBlocks(0)).toBe(2);
  });

  it("are released once: the second call learns that it was done", () => {
    const { loads, leases, book } = setup();
    leases.open(book, "a");
    expect(leases.release("a")).toBeUndefined();
    expect(leases.release("a")).toBe("released");
    expect(loads.reservationCount).toBe(0);
  });

  it("refuse calls on ids that were never held", () => {
    const { leases } = setup();
    const unknown = expect.objectContaining({ code: "unknown_reservation" });
    for (const call of ["renew", "prefillComplete", "outputBlock", "release"] as const) {
      expect(() => leases[call]("nobody")).toThrow(unknown);
    }
  });

  it("refuse an id that is held, without booking", () => {
    const { loads, leases, book } = setup();
    leases.open(book, "a");
    expect(() => leases.open(book, "a")).toThrow(expect.objectContaining({ code: "reservation_conflict" }));
    expect(loads.reservationCount).toBe(1);
  });

  it("give an id free again once it ended", () => {
    const { clock, leases, book } = setup();
    leases.open(book, "a");
    clock.advance(1_000);
    expect(leases.open(book, "a").id).toBe("a");
    expect(leases.release("a")).toBeUndefined();
  });

  it.each(["", "x".repeat(257)])("refuse an id of a bad length", (id) => {
    const { leases, book } = setup();
    expect(() => leases.open(book, id)).toThrow(expect.objectContaining({ code: "invalid_request" }));
  });

  it("are bounded, without booking beyond the bound", () => {
    const { loads, leases, book } = setup({ maxLeases: 2 });
    leases.open(book);
    leases.open(book);
    expect(() => leases.open(book)).toThrow(expect.objectContaining({ code: "saturated" }));
    expect(loads.reservationCount).toBe(2);
  });

  it("hold nothing when the booking fails", () => {
    const { leases } = setup();
    const fail = () => {
      throw new Error("no room");
    };
    expect(() => leases.open(fail, "a")).toThrow("no room");
    expect(leases.size).toBe(0);
  });

  it("end with their worker, and say so", () => {
    const { loads, leases, book } = setup();
    leases.open(() => book(0), "on-0");
    leases.open(() => book(1), "on-1");
    loads.removeSlot(0);
    expect(leases.dropLost()).toBe(1);
    expect(() => leases.prefillComplete("on-0")).toThrow(/ended with its worker/);
    expect(leases.prefillComplete("on-1").id).toBe("on-1");
  });

  it("remember a bounded number of ends, the latest", () => {
    const { leases, book } = setup({ maxRememberedEnds: 2 });
    for (const id of ["a", "b", "c"]) {
      leases.open(book, id);
      leases.release(id);
    }
    expect(() => leases.release("a")).toThrow(/is not known/);
    expect(leases.release("b")).toBe("released");
    expect(leases.release("c")).toBe("released");
  });

  it.each([{ leaseMs: 0 }, { leaseMs: Number.NaN }, { maxLeases: 0 }, { maxRememberedEnds: -1 }])(
    "refuse the settings $leaseMs $maxLeases $maxRememberedEnds",
    (options) => {
      expect(() => new LeaseTable(options, new FakeClock(), () => "x")).toThrow(RangeError);
    },
  );
});
