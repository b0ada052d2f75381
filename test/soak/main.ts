/**
 * A soak of everything at once: `node_modules/.bin/node test/soak/main.ts [minutes]`, after `npm run build` and `make venv`. Exits with 1 when the verdict is bad.
 * Environment: SEED, RATE (requests a second), REPORT (folder of soak.json and soak.svg).
 */
import { Soak } from "./soak.ts";
import { leastMinutesJudged, longBounds, shortBounds } from "./verdict/bounds.ts";
import { growthTable, writeReport } from "./verdict/report.ts";
import { verdictOf } from "./verdict/verdict.ts";

const minutes = Number(process.argv[2] ?? 30);
if (!(minutes > 0)) throw new RangeError(`minutes must be > 0, got ${process.argv[2]}`);
const seed = Number(process.env["SEED"] ?? 1);
const perSecond = Number(process.env["RATE"] ?? 12);
const tell = (line: string) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`);

const isMemoryJudged = minutes >= leastMinutesJudged;
if (!isMemoryJudged) tell(`memory is only reported: it is judged from ${leastMinutesJudged} minutes on`);

const record = await Soak.run({ minutes, seed, perSecond, tell });
const verdict = verdictOf(record, minutes >= 15 ? longBounds : shortBounds);
const files = await writeReport(process.env["REPORT"] ?? "test-results/soak", record, verdict);

console.log(`\n${growthTable(verdict.growths)}\n`);
tell(
  `${record.requests} requests, ${record.failureCount} failed, ${record.workersChanged} changes of workers, ${record.cores.toFixed(2)} cores`,
);
tell(`written: ${files.join(", ")}`);
for (const fault of verdict.faults) tell(`FAULT ${fault}`);
const memory = isMemoryJudged ? "memory is flat, " : "";
tell(verdict.isGood ? `good: ${memory}nothing failed, everything came back to zero` : "bad");
process.exit(verdict.isGood ? 0 : 1);
