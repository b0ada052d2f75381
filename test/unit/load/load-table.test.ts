import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Reservation } from "../../../src/load/index.ts";
import { LoadTable, resolveLoadTableOptions } from "../../../src/load/index.ts";
import { chainOf } from "./sequences.ts";

function prompt(labels: readonly number[], cachedTokens = 0) {
  return { promptTokens: 16 * labels.length, cachedTokens, sequence: chainOf(labels), count: labels.length };
}

describe("LoadTable", () => {
  it("charges only the prompt tokens that the rank does not hold", () => {
    const table = new LoadTable();
    table.reserve(3, prompt([1, 2, 3, 4], 48));
    expect(table.activePrefillTokens(3)).toBe(16);
  });

  it("charges nothing when more is cached than the prompt is long", () => {
    const table = new LoadTable();
    table.reserve(0, prompt([1], 64));
    expect(table.activePrefillTokens(0)).toBe(0);
  });

  it("keeps no reference to the caller's hashes", () => {
    const table = new LoadTable();
    const request = prompt([1, 2, 3]);
    table.reserve(0, request);
    request.sequence.fill(0);
    expect(table.blocksNotActive(0, chainOf([1, 2, 3]), 3)).toBe(0);
  });

  it("counts equal prompts twice when reuse is not assumed", () => {
    const table = new LoadTable();
    const first = table.reserve(0, { ...prompt([1, 2, 3]), assumesKvReuse: false });
    const second = table.reserve(0, { ...prompt([1, 2, 3]), assumesKvReuse: false });
    expect(table.activeDecodeBlocks(0)).toBe(6);
    expect(table.blocksNotActive(0, chainOf([1, 2, 3]), 3)).toBe(3);
    first.release();
    second.release();
    expect(table.activeDecodeBlocks(0)).toBe(0);
  });

  it("keeps a prompt findable when an unshared twin of it ends", () => {
    const table = new LoadTable();
    table.reserve(0, prompt([1, 2, 3]));
    table.reserve(0, { ...prompt([1, 2, 3]), assumesKvReuse: false }).release();
    expect([table.activeDecodeBlocks(0), table.blocksNotActive(0, chainOf([1, 2, 3]), 3)]).toEqual([3, 0]);
  });

  it("keeps the weight of blocks that another request comes to share", () => {
    const table = new LoadTable();
    table.reserve(0, prompt([9]));
    const first = table.reserve(0, prompt([1, 2, 3, 4]));
    first.outputBlock(0.5);
    expect(table.activeDecodeBlocks(0)).toBe(Math.round(1 + 4 * 0.5 + 0.5));
    const second = table.reserve(0, prompt([1, 2, 7, 8]));
    expect(table.activeDecodeBlocks(0)).toBe(Math.round(1 + 4 * 0.5 + 0.5 + 2));
    first.release();
    expect(table.activeDecodeBlocks(0)).toBe(1 + 2 * 0.5 + 2);
    second.release();
    expect(table.activeDecodeBlocks(0)).toBe(1);
  });

  it.each([-0.1, 1.1, Number.NaN])("refuses to weigh output by %s", (fraction) => {
    const reservation = new LoadTable().reserve(0, prompt([1]));
    expect(() => reservation.outputBlock(fraction)).toThrow(RangeError);
  });

  it("refuses one reservation more than it may hold, and takes one again after a release", () => {
    const table = new LoadTable({ maxReservations: 2 });
    const first = table.reserve(0, prompt([1]));
    table.reserve(0, prompt([2]));
    expect(() => table.reserve(1, prompt([3]))).toThrow(expect.objectContaining({ code: "saturated" }));
    expect(table.activeRequests(1)).toBe(0);
    first.release();
    expect(() => table.reserve(1, prompt([3]))).not.toThrow();
  });

  it("finds a reservation by its id as long as it lives", () => {
    const table = new LoadTable({}, () => "a-made-up-id");
    const reservation = table.reserve(0, prompt([1]));
    expect(table.find("a-made-up-id")).toBe(reservation);
    reservation.release();
    expect(table.find("a-made-up-id")).toBeUndefined();
  });

  it("leaves a later request alone when an earlier one is released twice", () => {
    const table = new LoadTable();
    const first = table.reserve(0, prompt([1, 2]));
    first.release();
    table.reserve(0, prompt([1, 2]));
    first.release();
    first.prefillComplete();
    first.outputBlock();
    first.move(1);
    expect([table.activeRequests(0), table.activeDecodeBlocks(0), table.activePrefillTokens(0)]).toEqual([1, 2, 32]);
    expect([table.activeRequests(1), first.slot]).toEqual([0, -1]);
  });

  it("moves the whole load of a request to the rank that serves it", () => {
    const table = new LoadTable();
    table.reserve(0, prompt([1, 2, 7]));
    const moved = table.reserve(0, prompt([1, 2, 3, 4]));
    moved.outputBlock();
    moved.move(1, 32);
    expect([table.activeRequests(0), table.activeDecodeBlocks(0), table.activePrefillTokens(0)]).toEqual([1, 3, 48]);
    expect([table.activeRequests(1), table.activeDecodeBlocks(1), table.activePrefillTokens(1)]).toEqual([1, 5, 32]);
    expect(table.blocksNotActive(1, chainOf([1, 2, 3, 9]), 4)).toBe(1);
    moved.release();
    expect([table.activeRequests(1), table.activeDecodeBlocks(1), table.activePrefillTokens(1)]).toEqual([0, 0, 0]);
  });

  it("moves no prefill of a request that is past it", () => {
    const table = new LoadTable();
    const reservation = table.reserve(0, prompt([1, 2]));
    reservation.prefillComplete();
    reservation.move(1, 0);
    expect(table.activePrefillTokens(1)).toBe(0);
  });

  it("forgets a rank with its reservations, whose later calls do no harm to the slot's next owner", () => {
    const table = new LoadTable();
    const gone = table.reserve(0, prompt([1, 2, 3]));
    table.removeSlot(0);
    expect([table.activeRequests(0), table.activeDecodeBlocks(0), table.reservationCount]).toEqual([0, 0, 0]);
    table.reserve(0, prompt([1, 2]));
    gone.prefillComplete();
    gone.release();
    expect([table.activeRequests(0), table.activeDecodeBlocks(0), table.activePrefillTokens(0)]).toEqual([1, 2, 32]);
  });

  it("books a request anew when its rank went away and another serves it", () => {
    const table = new LoadTable();
    const reservation = table.reserve(0, prompt([1, 2, 3]));
    table.removeSlot(0);
    reservation.move(1);
    expect([table.activeRequests(1), table.activeDecodeBlocks(1), table.reservationCount]).toEqual([1, 3, 1]);
    expect(table.find(reservation.id)).toBe(reservation);
    reservation.release();
    expect([table.activeRequests(1), table.reservationCount]).toEqual([0, 0]);
  });

  it.each([0, -1, 1.5, Number.NaN])("refuses maxReservations %s", (maxReservations) => {
    expect(() => resolveLoadTableOptions({ maxReservations })).toThrow("load.maxReservations");
  });
});

/** What the table must answer, written the slow way: every block of every request by itself. */
class NaiveLoad {
  readonly held: { slot: number; labels: readonly number[]; outputs: number; prefill: number }[] = [];

  decodeBlocks(slot: number): number {
    const here = this.held.filter((request) => request.slot === slot);
    const prefixes = here.flatMap(({ labels }) => labels.map((_, i) => labels.slice(0, i + 1).join()));
    return new Set(prefixes).size + here.reduce((sum, request) => sum + request.outputs, 0);
  }

  prefillTokens(slot: number): number {
    return this.held.reduce((sum, request) => sum + (request.slot === slot ? request.prefill : 0), 0);
  }

  blocksNotActive(slot: number, labels: readonly number[]): number {
    const common = this.held
      .filter((request) => request.slot === slot)
      .map((request) => {
        const differs = labels.findIndex((label, i) => request.labels[i] !== label);
        return differs < 0 ? labels.length : differs;
      });
    return labels.length - Math.max(0, ...common);
  }
}

describe("LoadTable against a naive model", () => {
  const slots = 3;
  const labels = fc.array(fc.integer({ min: 1, max: 2 }), { maxLength: 9 });
  const step = fc.record({
    op: fc.constantFrom("reserve", "reserve", "reserve", "prefill", "output", "release", "move", "removeSlot"),
    which: fc.nat(20),
    slot: fc.nat(slots - 1),
    labels,
  });

  it("agrees after every step of any script", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), labels, (script, query) => {
        const table = new LoadTable();
        const naive = new NaiveLoad();
        const live: Reservation[] = [];
        // What one knows who looks at a slot only when told that it changed.
        const told = Array.from({ length: slots }, () => [0, 0, 0]);
        const figuresOf = (s: number) => [
          table.activeRequests(s),
          table.activePrefillTokens(s),
          table.activeDecodeBlocks(s),
        ];
        const changed = new Set<number>();
        table.onChanged((s) => changed.add(s));
        for (const { op, which, slot, labels: path } of script) {
          const at = live.length === 0 ? -1 : which % live.length;
          const reservation = live[at];
          const model = naive.held[at];
          if (op === "reserve") {
            live.push(table.reserve(slot, prompt(path)));
            naive.held.push({ slot, labels: path, outputs: 0, prefill: 16 * path.length });
          } else if (op === "removeSlot") {
            table.removeSlot(slot);
            changed.add(slot);
            for (let i = live.length - 1; i >= 0; i--) {
              if (naive.held[i]?.slot !== slot) continue;
              live.splice(i, 1);
              naive.held.splice(i, 1);
            }
          } else if (reservation !== undefined && model !== undefined) {
            if (op === "prefill") {
              reservation.prefillComplete();
              model.prefill = 0;
            } else if (op === "output") {
              reservation.outputBlock();
              model.outputs++;
            } else if (op === "move") {
              reservation.move(slot);
              model.slot = slot;
            } else {
              reservation.release();
              live.splice(at, 1);
              naive.held.splice(at, 1);
            }
          }
          for (const s of changed) told[s] = figuresOf(s);
          changed.clear();
          for (let s = 0; s < slots; s++) {
            expect(told[s]).toEqual(figuresOf(s));
            expect(table.activeDecodeBlocks(s)).toBe(naive.decodeBlocks(s));
            expect(table.activePrefillTokens(s)).toBe(naive.prefillTokens(s));
            expect(table.activeRequests(s)).toBe(naive.held.filter((request) => request.slot === s).length);
            expect(table.blocksNotActive(s, chainOf(query), query.length)).toBe(naive.blocksNotActive(s, query));
          }
        }
      }),
      { numRuns: 300 },
    );
  });
});
