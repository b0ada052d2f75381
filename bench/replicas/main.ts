/**
 * How bursts over several replicas of the picker spread over the workers, with and without sharing of load. Pickers and their
 * messages are the product's; the engines and the way over Redis are simulated in virtual time.
 * Run: node_modules/.bin/node bench/replicas/main.ts [added to the seeds]
 */
import { type Bursts, requestsOf } from "./bursts.ts";
import { type BurstOutcome, ReplicaSimulation, type Sharing } from "./simulation.ts";

const workers = 8;
const bursts = 20;
const seeds = [1, 2, 3].map((seed) => seed + Number(process.argv[2] ?? 0));

const near = { heartbeatMs: 250, coalesceMs: 1, way: [0.3, 1.5], isGuessing: true } as const;
const far = { ...near, way: [3, 8] } as const;
const ways: readonly Sharing[] = [
  { name: "one replica", replicas: 1 },
  ...[2, 4].flatMap((replicas): Sharing[] => [
    { name: `${replicas}, each for itself`, replicas },
    {
      name: `${replicas}, heartbeats only, no guess`,
      replicas,
      options: { ...near, coalesceMs: 250, isGuessing: false },
    },
    { name: `${replicas}, each 5 ms, no guess`, replicas, options: { ...near, coalesceMs: 5, isGuessing: false } },
    { name: `${replicas}, each 5 ms`, replicas, options: { ...near, coalesceMs: 5 } },
    { name: `${replicas}, no guess`, replicas, options: { ...near, isGuessing: false } },
    { name: `${replicas}, as shipped`, replicas, options: near },
    { name: `${replicas}, Redis far away, no guess`, replicas, options: { ...far, isGuessing: false } },
    { name: `${replicas}, Redis far away`, replicas, options: far },
  ]),
];

const workloads: readonly Bursts[] = [
  { name: "8 new prompts in 20 ms", size: 8, lengthMs: 20, sharedTokens: 0, pauseMs: 10_000 },
  { name: "32 new prompts in 20 ms", size: 32, lengthMs: 20, sharedTokens: 0, pauseMs: 10_000 },
  {
    name: "40 requests a second, one in 10 long",
    size: 40,
    lengthMs: 1_000,
    sharedTokens: 0,
    longEvery: 10,
    pauseMs: 1_000,
  },
  {
    name: "bursts of 16 in 50 ms each 500 ms, one in 10 long",
    size: 16,
    lengthMs: 50,
    sharedTokens: 0,
    longEvery: 10,
    pauseMs: 500,
  },
];

function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

function row(name: string, { spread, ttftMs, messages }: BurstOutcome): string {
  const busiest = spread.map((counts) => Math.max(...counts) / mean(counts));
  const idlest = spread.map((counts) => Math.min(...counts) / mean(counts));
  const cells = [
    mean(busiest).toFixed(2),
    Math.max(...busiest).toFixed(2),
    mean(idlest).toFixed(2),
    quantile(ttftMs, 0.5).toFixed(0),
    quantile(ttftMs, 0.99).toFixed(0),
    String(messages),
  ];
  return `| ${name.padEnd(30)} | ${cells.map((cell) => cell.padStart(8)).join(" | ")} |`;
}

/** The outcomes of all seeds as one. */
async function outcomeOf(way: Sharing, workload: Bursts): Promise<BurstOutcome> {
  const outcomes: BurstOutcome[] = [];
  for (const seed of seeds) {
    outcomes.push(await new ReplicaSimulation(way, workers, seed).run(requestsOf(workload, bursts, seed), bursts));
  }
  return {
    spread: outcomes.flatMap(({ spread }) => spread),
    ttftMs: outcomes.flatMap(({ ttftMs }) => ttftMs),
    messages: outcomes.reduce((sum, { messages }) => sum + messages, 0),
  };
}

for (const workload of workloads) {
  process.stdout.write(`\n${workload.name}; ${bursts * seeds.length} bursts, ${workers} workers\n\n`);
  process.stdout.write("| replicas | busiest / mean | worst burst | idlest / mean | TTFT p50 ms | p99 | messages |\n");
  process.stdout.write("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const way of ways) process.stdout.write(`${row(way.name, await outcomeOf(way, workload))}\n`);
}
