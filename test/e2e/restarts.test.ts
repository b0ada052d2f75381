import { expect, it } from "vitest";
import { deeds } from "../soak/restarts/deeds.ts";
import { RestartLoop } from "../soak/restarts/restart-loop.ts";

// Two minutes on an idle machine; each wait in it has a limit of its own, and tells what it waited for.
const timeout = 1_800_000;
const tell = (line: string) => process.stdout.write(`    ${new Date().toISOString().slice(11, 19)} ${line}\n`);

it("gets over the loss of each of its parts: nothing fails that need not, and caches are found again", {
  timeout,
}, async () => {
  const options = { steps: deeds.length, seed: 3, perSecond: 4, atOnce: true, tell };
  const { faults, steps, requests } = await RestartLoop.run(options);
  expect(faults).toEqual([]);
  const done = steps.flatMap(({ names }) => names);
  expect(done.toSorted()).toEqual(deeds.map(({ name }) => name).toSorted());
  expect(requests).toBeGreaterThan(deeds.length);
});
