// Usage: node_modules/.bin/node test/fuzz/run.ts [--target NAME]... [--seconds N] [--seed N] [--path P]   Fuzzes each target for N seconds (default 60).
import { parseArgs } from "node:util";
import { runCampaign } from "./framework/campaign.ts";
import { faultReport } from "./framework/fault-report.ts";
import { fuzzTargets } from "./targets/index.ts";

const { values } = parseArgs({
  options: {
    target: { type: "string", multiple: true },
    seconds: { type: "string", default: "60" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    path: { type: "string" },
  },
});
const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
if (!(seconds > 0) || !Number.isSafeInteger(seed)) fail("--seconds has to be more than 0, --seed an integer");
const known = fuzzTargets.map(({ name }) => name);
const wrong = (values.target ?? []).filter((name) => !known.includes(name));
if (wrong.length > 0) fail(`no such target: ${wrong.join(", ")}; there are ${known.join(", ")}`);
if (values.path !== undefined && values.target?.length !== 1) fail("--path needs one --target");

let found = 0;
for (const target of fuzzTargets.filter(({ name }) => values.target?.includes(name) ?? true)) {
  console.log(`${target.name}: ${target.claim}`);
  const plan = values.path === undefined ? { seed, seconds } : { seed, path: values.path };
  const { cases, fault } = await runCampaign(target, plan);
  console.log(`${target.name}: ${cases} cases from seed ${seed} on, ${fault === undefined ? "no fault" : "a fault"}`);
  if (fault === undefined) continue;
  found++;
  console.error(faultReport(target.name, fault));
}
// What a target has left open must not keep the process.
process.exit(found > 0 ? 1 : 0);

function fail(message: string): never {
  console.error(`fuzz: ${message}`);
  process.exit(2);
}
