/**
 * The queue's client with many callers at once: one list of results for the instance, a list for each request, and beside them what anybody
 * would write first, a BRPOP for each request. In turns, in one run, on one Redis; a stand-in answers after `--service` ms.
 * `node_modules/.bin/node bench/queue/main.ts [--rounds 3] [--requests 5000] [--waiters 1000] [--service 200] [--body 1500] [--server redis-server]`
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Redis } from "ioredis";
import { OwnProcess } from "../../test/e2e/support/own-process.ts";
import { type RedisKind, RedisServer } from "../../test/e2e/support/redis-server.ts";
import { until } from "../../test/e2e/support/until.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    requests: { type: "string", default: "5000" },
    waiters: { type: "string", default: "1000" },
    service: { type: "string", default: "200" },
    body: { type: "string", default: "1500" },
    server: { type: "string", default: "redis-server" },
  },
});

const ways = ["instance", "request", "naive"] as const;

/** One run of one way. */
interface Figures {
  readonly connections: number;
  readonly requestsPerS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the client's process. */
  readonly cpuMsPer1000: number;
  readonly redisCpuMsPer1000: number;
  readonly commandsPerRequest: number;
}

const server = await RedisServer.start(values.server as RedisKind);
const redis = new Redis(server.url);
const standIn = await start("stand-in.ts", [server.url, values.service]);
await until(() => standIn.lines.includes("ready"), { what: "the stand-in", check: () => standIn.assertRunning() });
const figures = new Map<string, Figures[]>(ways.map((way) => [way, []]));
try {
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const way of ways) figures.get(way)?.push(await measure(way));
  }
} finally {
  redis.disconnect();
  await standIn.end();
  await server.stop();
}
print();

function start(file: string, args: readonly string[]): Promise<OwnProcess> {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return OwnProcess.start({ name: file, file: process.execPath, args: [path, ...args] });
}

async function measure(way: string): Promise<Figures> {
  await redis.flushall();
  const before = await usage();
  const client = await start("client-run.ts", [way, server.url, values.requests, values.waiters, values.body]);
  let connections = 0;
  const line = await until(
    async () => {
      connections = Math.max(connections, (await usage()).clients - before.clients);
      return client.lines.find((each) => each.startsWith("{"));
    },
    { what: way, timeoutMs: 120_000, intervalMs: 50 },
  );
  const after = await usage();
  await client.end();
  // The warm-up's requests count for Redis.
  const requests = Number(values.requests) + Number(values.waiters);
  return {
    ...JSON.parse(line),
    connections,
    redisCpuMsPer1000: (1_000 * (after.cpuMs - before.cpuMs)) / requests,
    commandsPerRequest: (after.commands - before.commands) / requests,
  };
}

async function usage(): Promise<{ readonly clients: number; readonly cpuMs: number; readonly commands: number }> {
  const text = await redis.info();
  const of = (name: string) => Number(new RegExp(`^${name}:([\\d.]+)`, "m").exec(text)?.[1]);
  const cpuMs = 1_000 * (of("used_cpu_user") + of("used_cpu_sys"));
  return { clients: of("connected_clients"), cpuMs, commands: of("total_commands_processed") };
}

function print(): void {
  const columns = [
    "connections",
    "requestsPerS",
    "p50Ms",
    "p99Ms",
    "cpuMsPer1000",
    "redisCpuMsPer1000",
    "commandsPerRequest",
  ] as const;
  console.log(
    `${values.waiters} callers, ${values.requests} requests a run, ${values.rounds} rounds: median (least to most)`,
  );
  for (const [way, runs] of figures) {
    console.log(way);
    for (const column of columns) {
      const sorted = runs.map((run) => run[column]).sort((a, b) => a - b);
      const text = (at: number) => sorted[at]?.toFixed(column === "commandsPerRequest" ? 1 : 0);
      console.log(
        `  ${column.padEnd(20)} ${text(Math.floor(sorted.length / 2))} (${text(0)} to ${text(sorted.length - 1)})`,
      );
    }
  }
}
