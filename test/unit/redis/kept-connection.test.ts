import { describe, expect, it } from "vitest";
import { KeptConnection } from "../../../src/redis/index.ts";
import { FakeEnvironment } from "../replicas/fake-environment.ts";

/** A connection maker whose connections open and break as the test says. */
function bench(opens: readonly boolean[]) {
  const told: string[] = [];
  const breaks: ((cause: unknown) => void)[] = [];
  let tries = 0;
  const maker = {
    open: async () => {
      const number = ++tries;
      if (opens[number - 1] === false) throw new Error(`no ${number}`);
      return number;
    },
    untilLost: () => new Promise<unknown>((resolve) => breaks.push(resolve)),
    drop: (connection: number) => told.push(`dropped ${connection}`),
  };
  const observer = {
    connected: (connection: number) => told.push(`connected ${connection}`),
    lost: (cause: unknown) => told.push(`lost: ${cause instanceof Error ? cause.message : cause}`),
  };
  const environment = new FakeEnvironment();
  const kept = new KeptConnection(maker, { reconnectMinMs: 100, reconnectMaxMs: 300 }, observer, environment);
  return { kept, told, environment, breakNow: (cause: unknown) => breaks.shift()?.(cause), tries: () => tries };
}

describe("a kept connection", () => {
  it("is made again when it breaks, after a pause", async () => {
    const { kept, told, environment, breakNow } = bench([]);
    await environment.advance(0);
    breakNow("cut");
    await environment.advance(74);
    expect([kept.current, told]).toEqual([undefined, ["connected 1", "dropped 1", "lost: cut"]]);
    await environment.advance(1);
    expect([kept.current, told.at(-1)]).toEqual([2, "connected 2"]);
    await kept.close();
    expect([kept.current, told.at(-1)]).toEqual([undefined, "dropped 2"]);
  });

  it("is tried at longer and longer intervals, and its loss is told once", async () => {
    const { kept, told, environment, tries } = bench([false, false, false, false, true]);
    await environment.advance(0);
    const triesAfter: number[] = [];
    // Three quarters of 100, 200, 300 and 300 ms: the fake's chance is one half.
    for (const pauseMs of [75, 150, 225, 225]) {
      await environment.advance(pauseMs - 1);
      triesAfter.push(tries());
      await environment.advance(1);
    }
    expect([triesAfter, told]).toEqual([
      [1, 2, 3, 4],
      ["lost: no 1", "connected 5"],
    ]);
    await kept.close();
  });
});
