import { expect, it } from "vitest";
import { RareLog } from "../../../src/telemetry/index.ts";
import { FakeClock } from "../load/fake-clock.ts";

it("lets each message through once a minute, and says how many were held back", () => {
  const lines: [string, object, string][] = [];
  const clock = new FakeClock();
  const log = new RareLog(
    {
      info: (fields, text) => lines.push(["info", fields, text]),
      warn: (fields, text) => lines.push(["warn", fields, text]),
    },
    clock,
  );
  for (let i = 0; i < 5; i++) log.warn({ i }, "lost");
  log.info({}, "other");
  clock.advance(59_999);
  log.warn({}, "lost");
  clock.advance(1);
  log.warn({ i: 9 }, "lost");
  clock.advance(60_000);
  log.warn({ i: 10 }, "lost");
  expect(lines).toEqual([
    ["warn", { i: 0 }, "lost"],
    ["info", {}, "other"],
    ["warn", { i: 9, suppressed: 5 }, "lost"],
    ["warn", { i: 10 }, "lost"],
  ]);
});
