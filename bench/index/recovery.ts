/**
 * A replica that starts and takes another one's index over HTTP, both on this machine: time, CPU of both sides, memory beside the index, and
 * the longest time in which the thread of the one that starts did nothing else.
 * `node_modules/.bin/node bench/index/recovery.ts [--rounds 3] [--workers 16] [--blocks 1048576]`
 */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PrefixIndex } from "../../src/kv/index.ts";
import { IndexRecovery } from "../../src/kv-events/index.ts";
import { watchTurns } from "../turns.ts";
import { quantile } from "./workload.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    workers: { type: "string", default: "16" },
    blocks: { type: "string", default: "1048576" },
  },
});
const workers = Number(values.workers);
const script = fileURLToPath(new URL("dump-server.ts", import.meta.url));
const peer = spawn(process.execPath, [script, values.workers, values.blocks], { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: peer.stdout })[Symbol.asyncIterator]();
const nextLine = async () => JSON.parse((await lines.next()).value as string) as Record<string, number>;

const { port } = await nextLine();
const clock = { now: () => performance.now() };
const rows: Record<string, number>[] = [];
for (let round = 0; round < Number(values.rounds); round++) rows.push(await oneRound());
peer.stdin.end();

const median = (of: string) =>
  quantile(
    rows.map((row) => row[of] ?? 0),
    0.5,
  );
console.log(`${values.blocks} blocks of ${workers} workers, medians of ${rows.length} rounds`);
console.log(`  ${median("seconds").toFixed(1)} s until restored, ${(median("bytes") / 1e6).toFixed(0)} MB`);
console.log(`  CPU: ${median("ownCpu").toFixed(2)} s here, ${median("peerCpu").toFixed(2)} s at the peer`);
console.log(`  memory beside the index: ${(median("besideBytes") / 1e6).toFixed(0)} MB at most`);
console.log(
  `  CPU time between two turns of the event loop: p99.9 ${median("turnP999").toFixed(1)} ms, longest ${median("turnMax").toFixed(1)} ms`,
);

async function oneRound(): Promise<Record<string, number>> {
  const index = new PrefixIndex({ blockSize: 16, maxBlocks: Number(values.blocks) + 1 });
  let bytes = 0;
  const log = {
    warn: (fields: object, message: string) => console.log(message, fields),
    info: (fields: object) => {
      bytes = (fields as { bytes: number }).bytes;
    },
  };
  const recovery = new IndexRecovery(
    {
      urls: [new URL(`http://127.0.0.1:${port}`)],
      token: undefined,
      ca: undefined,
      verifyTls: true,
      deadlineMs: 120_000,
      seekMs: 0,
      answerTimeoutMs: 10_000,
      catchUpMs: 0,
      maxDumpBytes: 2 ** 32,
      ownPorts: () => [],
    },
    { indexOf: () => index, clock, log },
  );
  for (let slot = 0; slot < workers; slot++) {
    const live = { isPresent: () => true, isConnected: () => true, caughtUp: () => Promise.resolve() };
    void recovery.hold({ slot, workerId: BigInt(slot + 1), dpRank: 0, ...live });
  }
  const before = process.memoryUsage().rss;
  const turns = watchTurns();
  const from = { time: clock.now(), cpu: process.cpuUsage() };
  await recovery.start();
  const seconds = (clock.now() - from.time) / 1_000;
  const { user, system } = process.cpuUsage(from.cpu);
  const seen = turns.end();
  if (index.blockCount < Number(values.blocks)) throw new Error(`${index.blockCount} blocks were restored`);
  const { cpuSeconds = 0 } = await nextLine();
  return {
    seconds,
    bytes,
    ownCpu: (user + system) / 1e6,
    peerCpu: cpuSeconds,
    besideBytes: Math.max(0, seen.peakRss - before - index.stats.usedBytes),
    turnP999: seen.cpuUs.percentile(99.9) / 1_000,
    turnMax: seen.cpuUs.max / 1_000,
  };
}
