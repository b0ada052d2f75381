/**
 * What a second shard brings on this machine: picks a second, and CPU a pick of the shards and of the load generator apart, since they share the cores. Each
 * shard has a port of its own and clients of its own; one and two shards take turns on new bodies.
 * `node_modules/.bin/node bench/shards/main.ts [--counts 1,2] [--size 8192] [--requests 2000] [--rounds 3]` (build first).
 */
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { stringify } from "yaml";
import { freePorts } from "../../test/e2e/support/free-ports.ts";
import { testModelFolder } from "../../test/e2e/support/model-folder.ts";
import { OwnProcess } from "../../test/e2e/support/own-process.ts";
import { until } from "../../test/e2e/support/until.ts";
import { buildClient } from "../ext-proc/build-client.ts";
import { parseFigures } from "../ext-proc/figures.ts";

const { values } = parseArgs({
  options: {
    counts: { type: "string", default: "1,2" },
    size: { type: "string", default: "8192" },
    requests: { type: "string", default: "2000" },
    rounds: { type: "string", default: "3" },
  },
});
const bodyBytes = Number(values.size);
const requests = Number(values.requests);
/** Clients of all shards together; each has one connection, and eight requests under way. */
const clients = 2;
const clockTicksPerSecond = 100;

interface Round {
  readonly picksPerSecond: number;
  /** Of all shards, ms a pick. */
  readonly shardCpuMs: number;
  readonly clientCpuMs: number;
  readonly failed: number;
}

interface Running {
  readonly ports: readonly number[];
  readonly pids: readonly number[];
  readonly stop: () => Promise<void>;
}

async function start(folder: string, count: number): Promise<Running> {
  const [first = 0, other = 0, health = 0] = (await freePorts(3)).toSorted((a, b) => a - b);
  const portStep = Math.max(1, other - first);
  const file = join(folder, `shards-${count}.yaml`);
  writeFileSync(
    file,
    stringify({
      shards: { count, listen: "own", portStep },
      extProc: { listen: `127.0.0.1:${first}`, tls: { mode: "off" } },
      health: { listen: `127.0.0.1:${health}` },
      metrics: { listen: "off" },
      fleet: { healthCheck: { enabled: false } },
      models: [{ name: "sim-model", folder: testModelFolder(), profile: "dynamo" }],
      workers: Array.from({ length: 8 }, (_, i) => ({ name: `worker-${i}`, endpoint: `10.0.0.${i + 1}:8000` })),
    }),
  );
  const args = ["dist/main.js", "serve", "--config", file];
  const child = await OwnProcess.start({ name: "picker", file: process.execPath, args });
  const ready = count === 1 ? "the picker is ready" : "the shards are ready";
  await until(() => child.tail(1_000).includes(ready), { what: "the picker", timeoutMs: 120_000 });
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ").map(Number);
  return {
    ports: Array.from({ length: count }, (_, i) => first + i * portStep),
    pids: count === 1 ? [child.pid] : children,
    stop: async () => void (await child.end()),
  };
}

async function measure(client: string, { ports, pids }: Running, seed: number): Promise<Round> {
  const before = sum(pids.map(cpuMs));
  const startedMs = performance.now();
  const runs = await Promise.all(
    Array.from({ length: clients }, (_, i) => runClient(client, ports[i % ports.length] ?? 0, seed * clients + i)),
  );
  const seconds = (performance.now() - startedMs) / 1_000;
  const picks = clients * requests;
  return {
    picksPerSecond: picks / seconds,
    shardCpuMs: (sum(pids.map(cpuMs)) - before) / picks,
    clientCpuMs: sum(runs.map(({ cpuMs: each }) => each)) / picks,
    failed: sum(runs.map(({ failed }) => failed)),
  };
}

/** Bash tells what a process has taken. */
async function runClient(client: string, port: number, seed: number) {
  const flags = `-addr 127.0.0.1:${port} -work shared -size ${bodyBytes} -c 8 -n ${requests} -warm 0 -seed ${seed}`;
  const script = `TIMEFORMAT='cpu %U %S'; time "$0" ${flags}`;
  const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script, client]);
  const [, user = "0", system = "0"] = /cpu ([\d.]+) ([\d.]+)/.exec(stderr) ?? [];
  const ownMs = (Number(user) + Number(system)) * 1_000;
  return parseFigures(stdout, ownMs);
}

function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / clockTicksPerSecond;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? Number.NaN;
}

const folder = mkdtempSync(join(tmpdir(), "pointsman-bench-shards-"));
const counts = values.counts.split(",").map(Number);
const running: Running[] = [];
try {
  const client = buildClient();
  for (const count of counts) running.push(await start(folder, count));
  const rounds: Round[][] = counts.map(() => []);
  // The first round warms the code.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const [i, each] of running.entries()) {
      const measured = await measure(client, each, round);
      if (round > 0) rounds[i]?.push(measured);
    }
  }
  console.log(`${bodyBytes} bytes, ${clients} connections of 8 requests, load average ${loadavg()[0]?.toFixed(1)}`);
  for (const [i, count] of counts.entries()) {
    const own = rounds[i] ?? [];
    const of = (key: keyof Round) => median(own.map((round) => round[key]));
    console.log(
      `${count} shard(s): ${of("picksPerSecond").toFixed(0)} picks/s, CPU ms a pick: shards ${of("shardCpuMs").toFixed(2)}, load generator ${of("clientCpuMs").toFixed(2)}; failed ${sum(own.map(({ failed }) => failed))}`,
    );
  }
} finally {
  for (const each of running) await each.stop();
  rmSync(folder, { recursive: true });
}
