/**
 * Takes everything away under load, one part after the other: `node_modules/.bin/node test/soak/restarts/main.ts [steps]`, after `npm run build` and `make venv`. Exits
 * with 1 when something failed that need not. Environment: SEED, RATE (requests a second), ONLY (part of a step's name).
 */
import { deeds } from "./deeds.ts";
import { RestartLoop } from "./restart-loop.ts";

const steps = Number(process.argv[2] ?? deeds.length);
if (!(steps >= 1)) throw new RangeError(`steps must be >= 1, got ${process.argv[2]}`);
const tell = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

const { SEED = "1", RATE = "6", ONLY = "" } = process.env;
const record = await RestartLoop.run({ steps, seed: Number(SEED), perSecond: Number(RATE), only: ONLY, tell });
for (const { name, seconds, excused } of record.steps)
  tell(`${seconds.toFixed(0).padStart(4)} s, ${excused} excused failures: ${name}`);
tell(`${record.requests} requests, ${record.steps.length} steps, ${record.faults.length} faults`);
process.exit(record.faults.length === 0 ? 0 : 1);
