/**
 * How requests spread over workers, and what it costs them: one shared system prompt must not pin all traffic to one worker.
 * The router is the product's; the engines are simulated in virtual time.
 * Run: node bench/quality/main.ts [seed]
 */
import { type Outcome, type Policy, Simulation } from "./simulation.ts";
import { workloads } from "./workload.ts";

const workers = 8;
const seed = Number(process.argv[2] ?? 1);

/** The product's default weights; its guard against crowding is apart. */
const weights = { prefillLoadScale: 8 };

const policies: readonly Policy[] = [
  { name: "random", pick: {}, isRandom: true },
  { name: "load only", pick: { overlapScoreCredit: 0 } },
  { name: "Dynamo's defaults", pick: { tieBreak: "random" } },
  { name: "without the guard", pick: weights },
  { name: "default", pick: { ...weights, crowdingRatio: 1.25, crowdingSlack: 4 } },
];

function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function row(name: string, { requests, peaks, ttftMs, totalMs, promptTokens, cachedTokens }: Outcome): string {
  const cells = [
    (Math.max(...requests) / mean(requests)).toFixed(2),
    `${Math.max(...peaks)} (${Math.min(...peaks)})`,
    quantile(ttftMs, 0.5).toFixed(0),
    quantile(ttftMs, 0.99).toFixed(0),
    quantile(totalMs, 0.5).toFixed(0),
    quantile(totalMs, 0.99).toFixed(0),
    (cachedTokens / promptTokens).toFixed(3),
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
    process.stdout.write(`${row(policy.name, new Simulation(policy, workers, seed).run(workload, seed))}\n`);
  }
}
