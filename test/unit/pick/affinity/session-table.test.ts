import { describe, expect, it } from "vitest";
import { SessionTable } from "../../../../src/pick/index.ts";
import { FakeClock } from "../../load/fake-clock.ts";
import { rankOf, workerOf } from "../candidates.ts";

const onA = { answering: rankOf(workerOf(1)), prefill: undefined };
const onB = { answering: rankOf(workerOf(2)), prefill: rankOf(workerOf(3)) };

function setup(maxSessions = 4) {
  const clock = new FakeClock();
  return { clock, table: new SessionTable({ ttlMs: 1_000, maxSessions }, clock) };
}

describe("sessions", () => {
  it("are found where they were served last", () => {
    const { table } = setup();
    expect(table.find("s")).toBeUndefined();
    table.use("s", onA, false).end();
    table.use("s", onB, false).end();
    expect(table.find("s")).toBe(onB);
    expect(table.size).toBe(1);
  });

  it("are forgotten after their time without a running request, not before", () => {
    const { clock, table } = setup();
    table.use("s", onA, false).end();
    clock.advance(999);
    expect(table.find("s")).toBe(onA);
    clock.advance(1);
    expect(table.find("s")).toBeUndefined();
  });

  it("are remembered while a request runs, however long", () => {
    const { clock, table } = setup();
    const first = table.use("s", onA, false);
    const second = table.use("s", onA, false);
    clock.advance(5_000);
    first.end();
    first.end();
    clock.advance(5_000);
    expect(table.find("s")).toBe(onA);
    second.end();
    clock.advance(1_000);
    expect(table.find("s")).toBeUndefined();
  });

  it("follow the request that was answered elsewhere, while it runs", () => {
    const { table } = setup();
    const use = table.use("s", onB, false);
    use.movedTo(onA.answering);
    expect(table.find("s")).toEqual({ answering: onA.answering, prefill: onB.prefill });
    use.end();
    use.movedTo(onB.answering);
    expect(table.find("s")?.answering).toBe(onA.answering);
  });

  it("are forgotten with their final request", () => {
    const { table } = setup();
    const other = table.use("s", onA, false);
    table.use("s", onA, true).end();
    expect(table.find("s")).toBe(onA);
    other.end();
    table.use("s", onA, true).end();
    expect(table.find("s")).toBeUndefined();
    expect(table.size).toBe(0);
  });

  it("are bounded: the least recently used idle one goes first", () => {
    const { table } = setup(3);
    const running = table.use("running", onA, false);
    for (const key of ["a", "b"]) table.use(key, onA, false).end();
    table.use("running-not", onA, false).end();
    expect(table.size).toBe(3);
    expect(table.find("a")).toBeUndefined();
    expect(table.find("running")).toBe(onA);
    running.end();
  });

  it("are bounded even when all of them run", () => {
    const { table } = setup(2);
    const uses = ["a", "b", "c"].map((key) => table.use(key, onA, false));
    expect(table.size).toBe(2);
    for (const use of uses) use.end();
    expect(table.size).toBe(2);
    expect(table.find("a")).toBeUndefined();
  });

  it("that are over make room first", () => {
    const { clock, table } = setup(100);
    for (let i = 0; i < 50; i++) table.use(`old-${i}`, onA, false).end();
    clock.advance(1_000);
    for (let i = 0; i < 10; i++) table.use(`new-${i}`, onA, false).end();
    expect(table.size).toBe(10);
  });

  it.each([{ ttlMs: 0 }, { ttlMs: Number.NaN }, { maxSessions: 0 }])("refuse the settings %o", (options) => {
    expect(() => new SessionTable(options, new FakeClock())).toThrow(RangeError);
  });
});
