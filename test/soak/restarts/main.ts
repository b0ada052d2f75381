/**
 * Takes everything away under load, one part after the other: `node_modules/.bin/node test/soak/restarts/main.ts [steps]`, after `npm run build` and `make venv`. Exits
 * with 1 when something failed that need not. Environment: SEED, RATE (requests a second), ONLY (part of a step's name), AT_ONCE=1
 * (what has nothing to do with each other is taken away at once).
 */
import { deeds } from "./deeds.ts";
import { RestartLoop } from "./restart-loop.ts";

const steps = Number(process.argv[2] ?? deeds.length);
if (!(steps >= 1)) throw new RangeError(`steps must be >= 1, got ${process.argv[2]}`);
const tell = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

const { SEED = "1", RATE = "6", ONLY = "", AT_ONCE } = process.env;
const load = { seed: Number(SEED), perSecond: Number(RATE) };
const record = await RestartLoop.run({ ...load, steps, only: ONLY, atOnce: AT_ONCE === "1", tell });
for (const { names, seconds, excused } of record.steps)
  tell(`${seconds.toFixed(0).padStart(4)} s, ${excused} excused failures: ${names.join("; ")}`);
tell(
  `${record.requests} requests, ${record.steps.flatMap(({ names }) => names).length} losses, ${record.faults.length} faults`,
);
process.exit(record.faults.length === 0 ? 0 : 1);
