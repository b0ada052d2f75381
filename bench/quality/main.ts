/**
 * How requests spread over workers, and what it costs them: one shared system prompt must not pin all traffic to one worker.
 * The router is the product's; the engines are simulated in virtual time.
 * Run: node_modules/.bin/node bench/quality/main.ts [seed] [--weights 8,16]
 * With --weights it compares the default of the product by these values of `routing.prefillLoadScale` instead.
 */
import { parseArgs } from "node:util";
import {
  engineFigures,
  FleetSimulation,
  type Policy,
  plainPolicies,
  type SimulatedOutcome,
  summarize,
} from "../../src/replay/index.ts";
import { workloads } from "./workload.ts";

const workers = 8;
const { values, positionals } = parseArgs({ options: { weights: { type: "string" } }, allowPositionals: true });
const seed = Number(positionals[0] ?? 1);

/** The product's default weights; its guard against crowding is apart. */
const weights = { prefillLoadScale: 8 };
const guard = { crowdingRatio: 1.25, crowdingSlack: 4 };

const policies: readonly Policy[] =
  values.weights === undefined
    ? [
        ...plainPolicies,
        { name: "without the guard", pick: weights },
        { name: "default", pick: { ...weights, ...guard } },
      ]
    : values.weights
        .split(",")
        .map((weight) => ({ name: `weight ${weight}`, pick: { prefillLoadScale: Number(weight), ...guard } }));

function row(name: string, outcome: SimulatedOutcome): string {
  const { requests, peaks } = outcome;
  const { hitRate, ttftMs, totalMs, requests: count } = summarize(outcome);
  const cells = [
    (Math.max(...requests) / (count / requests.length)).toFixed(2),
    `${Math.max(...peaks)} (${Math.min(...peaks)})`,
    ...[ttftMs.p50, ttftMs.p99, totalMs.p50, totalMs.p99].map((ms) => ms.toFixed(0)),
    hitRate.toFixed(3),
  ];
  return `| ${name.padEnd(20)} | ${cells.map((cell) => cell.padStart(10)).join(" | ")} |`;
}

for (const workload of workloads) {
  process.stdout.write(`\n${workload.name}: ${workload.about}; ${workers} workers\n\n`);
  process.stdout.write(
    "| policy | busiest / mean | peak (least) | TTFT p50 ms | p99 | total p50 ms | p99 | hit rate |\n",
  );
  process.stdout.write("| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const policy of policies) {
    process.stdout.write(
      `${row(policy.name, new FleetSimulation(policy, { workers, engine: engineFigures }, seed).run(workload.requests(seed)))}\n`,
    );
  }
}
