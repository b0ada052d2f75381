import { expect, it } from "vitest";
import { MismatchLog } from "../../../../src/surface/ext-proc/mismatch-log.ts";
import { FakeClock, RecordingLogger } from "./fakes.ts";

it("tells of each picked endpoint once a minute", () => {
  const logger = new RecordingLogger();
  const clock = new FakeClock();
  const log = new MismatchLog(logger, clock);
  log.note("a", "b");
  log.note("a", "c");
  log.note("b", "c");
  clock.advance(59_999);
  log.note("a", "b");
  expect(logger.lines.map(({ fields }) => fields)).toEqual([
    { picked: "a", served: "b" },
    { picked: "b", served: "c" },
  ]);
  clock.advance(1);
  log.note("a", "d");
  expect(logger.lines.at(-1)).toMatchObject({ level: "warn", fields: { picked: "a", served: "d" } });
});

it("remembers a bounded number of endpoints, and forgets old ones for new ones", () => {
  const logger = new RecordingLogger();
  const clock = new FakeClock();
  const log = new MismatchLog(logger, clock);
  for (let index = 0; index < 2_000; index += 1) log.note(`e${index}`, "x");
  expect(logger.lines.length).toBe(1_024);
  clock.advance(60_000);
  log.note("e1999", "x");
  expect(logger.lines.length).toBe(1_025);
});
