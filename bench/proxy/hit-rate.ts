/**
 * How much of the prompts is cached where the proxy and its peers send them: four workers with prefix caches of their own, which hold a part of what is
 * asked, three sets of requests that are hard. No KV events: ours knows what it has sent, as the peers do.
 * `PEERS_HOME=... node_modules/.bin/node bench/proxy/hit-rate.ts [--rounds 3]` (after `npm run build`).
 */
import { parseArgs } from "node:util";
import { type HardSet, hardSets, type SetRequest } from "./hard-sets.ts";
import { startStage, type Target } from "./routers.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "3" } } });
/** Sessions that wait for an answer at one time. */
const lanes = 8;

interface Counts {
  readonly requests: number;
  readonly blocks: number;
  readonly cached: number;
}

const stage = await startStage({ isSplit: false, workerFile: "bench/proxy/cache-worker.ts" });
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [at, target] of stage.targets.slice(1).entries()) {
      for (const set of hardSets(1_000 * round + 100 * at)) await run(target, set);
    }
  }
} finally {
  await stage.close();
}

async function run(target: Target, set: HardSet): Promise<void> {
  await Promise.all(stage.workers.map((port) => fetch(`http://127.0.0.1:${port}/restart`, { method: "POST" })));
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  const before = await allCounts();
  const start = performance.now();
  const { failed, waitsMs } = await sendAll(target.port, set);
  const seconds = ((performance.now() - start) / 1_000).toFixed(1);
  const waits = [0.5, 0.99, 1]
    .map((share) => (waitsMs[Math.ceil(share * waitsMs.length) - 1] ?? 0).toFixed(0))
    .join("/");
  const after = await allCounts();
  const gained = after.map((counts, i) => ({
    requests: counts.requests - (before[i]?.requests ?? 0),
    blocks: counts.blocks - (before[i]?.blocks ?? 0),
    cached: counts.cached - (before[i]?.cached ?? 0),
  }));
  const sum = (name: keyof Counts) => gained.reduce((total, counts) => total + counts[name], 0);
  const spread = gained.map(({ requests }) => requests).join(" ");
  const rate = (sum("cached") / sum("blocks")).toFixed(3);
  const cells = [
    `hit rate ${rate}`,
    `${seconds} s`,
    `p50/p99/most ${waits} ms`,
    `requests ${spread}`,
    `failed ${failed}`,
  ];
  console.log(`${target.name.padEnd(14)} ${set.name.padEnd(22)} ${cells.join("  ")}`);
}

/** What came of a set. */
interface Outcome {
  /** Requests that were not answered well. */
  readonly failed: number;
  /** How long each answer took, the least first. */
  readonly waitsMs: readonly number[];
}

/** Each session waits for its answer before it goes on. */
async function sendAll(port: number, { requests, restarts }: HardSet): Promise<Outcome> {
  const queue = [...requests];
  const busy = new Set<number>();
  const waitsMs: number[] = [];
  let failed = 0;
  let sent = 0;
  const next = (): SetRequest | undefined => {
    const at = queue.findIndex(({ session }) => !busy.has(session));
    return at < 0 ? undefined : queue.splice(at, 1)[0];
  };
  const lane = async () => {
    for (let request = next(); request !== undefined; request = next()) {
      busy.add(request.session);
      if (restarts && ++sent === Math.floor(requests.length / 2)) {
        await fetch(`http://127.0.0.1:${stage.workers[0]}/restart`, { method: "POST" });
      }
      const start = performance.now();
      if (!(await isAnswered(port, request))) failed++;
      waitsMs.push(performance.now() - start);
      busy.delete(request.session);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { failed, waitsMs: waitsMs.toSorted((a, b) => a - b) };
}

async function isAnswered(port: number, { path, body }: SetRequest): Promise<boolean> {
  const headers = { "content-type": "application/json", "anthropic-version": "2023-06-01" };
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

async function allCounts(): Promise<readonly Counts[]> {
  return await Promise.all(
    stage.workers.map(async (port) => (await (await fetch(`http://127.0.0.1:${port}/counts`)).json()) as Counts),
  );
}
