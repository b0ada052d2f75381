// How long the console holds the thread that picks: states of large fleets, made and sent to a reader over HTTP, turn by turn.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { assembleCore, type Core } from "../../src/commands/assemble.ts";
import { CoreSource } from "../../src/commands/console/core-source.ts";
import { listenForConsole } from "../../src/commands/console/listener.ts";
import type { KvRankStatus } from "../../src/commands/kv-rank-status.ts";
import { readinessOf } from "../../src/commands/readiness.ts";
import { servedModels } from "../../src/commands/served-models.ts";
import { type Config, loadConfig } from "../../src/config/index.ts";
import { JsonReader } from "../../src/json/index.ts";
import { type ConsoleSource, History, stateParts } from "../../src/surface/admin/index.ts";
import { createLogger, Metrics } from "../../src/telemetry/index.ts";
import { watchTurns } from "../turns.ts";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "7" } } });
const rounds = Number(values.rounds);

const fleets = [
  { workers: 512, ranks: 1 },
  { workers: 2_048, ranks: 1 },
  { workers: 10_000, ranks: 1 },
  { workers: 1_250, ranks: 8 },
  { workers: 3, ranks: 4_096 },
];

const status: KvRankStatus = {
  endpoint: "tcp://10.0.0.1:5557",
  isConnected: true,
  lastSequence: 123_456,
  lastEventAgeMs: 12.5,
  lastSentAtMs: Date.now(),
  blocks: 20_000,
  applied: 1_234_567,
  dropped: {},
  gaps: 0,
  replays: 1,
  resets: 0,
  problems: [],
};

function configOf(workers: number, ranks: number): Config {
  const admin = {
    listen: "127.0.0.1:0",
    updateIntervalMs: 100,
    maxRanks: 65_536,
    historyMinutes: 1_440,
    historyIntervalMs: 12_000,
  };
  const list = Array.from({ length: workers }, (_, i) => {
    // In no order.
    const name = `gpu-${(i * 7_919) % workers}`;
    return { name, endpoint: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}:8000`, dpSize: ranks };
  });
  const text = JSON.stringify({ models: [{ name: "m", loadOnly: true }], workers: list, admin });
  return loadConfig({ text, env: {} });
}

function coreOf(settings: Config): Core {
  const core = assembleCore(settings, {
    models: servedModels(settings).registry,
    random: () => 0,
    jsonReader: new JsonReader({ internedBytes: 1_024 }),
  });
  for (const { slot } of core.catalogue.ranksFor("m")) {
    core.loads.reserve(slot, { promptTokens: 3_000, cachedTokens: 100, sequence: new Uint32Array(4), count: 2 });
  }
  return core;
}

async function measure(workers: number, ranks: number): Promise<void> {
  const settings = configOf(workers, ranks);
  const core = coreOf(settings);
  const metrics = new Metrics({ models: ["m"], version: "1", llmd: undefined });
  const history = new History(settings.admin);
  for (let i = 0; i < 7_200; i++) {
    const totals = { picks: 31 * i, refusals: i, promptBlocks: 977 * i, heldBlocks: 611 * i };
    history.add(totals, i, 12_000 * i, 12_000 * i);
  }
  const source = new CoreSource(
    {
      config: settings,
      core,
      metrics,
      follower: { statusOf: () => status },
      problemsOf: () => [],
      isLoadShared: true,
      readiness: readinessOf(settings),
      recovery: undefined,
      replication: undefined,
    },
    history,
    { wall: () => Date.now(), now: () => performance.now() },
    0,
  );
  const longest: { readonly cpuUs: number; readonly wallUs: number; readonly totalUs: number }[] = [];
  for (let i = 0; i < rounds; i++) longest.push(await oneState(settings, source));
  const list = (key: keyof (typeof longest)[number]) => longest.map((each) => each[key] / 1_000).sort((a, b) => a - b);
  const median = (key: keyof (typeof longest)[number]) => (list(key)[rounds >> 1] ?? 0).toFixed(2);
  const least = (list("wallUs")[0] ?? 0).toFixed(2);
  const stepMs = await longestStepMs(source);
  console.log(
    `${workers} workers x ${ranks} ranks: longest turn by the clock ${least} ms (least of ${rounds}), ${median("wallUs")} (median); of CPU ${median("cpuUs")}; ${median("totalUs")} ms of CPU in all; longest step ${stepMs.toFixed(2)} ms`,
  );
}

/** Of the steps in which a state is made, the longest, each taken at its best: what else the machine does is in none of them. */
async function longestStepMs(source: ConsoleSource): Promise<number> {
  const least: number[] = [];
  for (let i = 0; i < rounds; i++) {
    const parts = stateParts(await source.state());
    let at = performance.now();
    let [step, isOver] = [0, false];
    while (!isOver) {
      isOver = parts.next().done === true;
      const now = performance.now();
      least[step] = Math.min(least[step] ?? Number.POSITIVE_INFINITY, now - at);
      step++;
      at = performance.now();
    }
  }
  return least.reduce((most, ms) => Math.max(most, ms), 0);
}

/** One state, made for a reader of another process, and sent to it: a console of its own has no state that it could give again. */
async function oneState(settings: Config, source: ConsoleSource) {
  const log = createLogger({ level: "silent" });
  const running = await listenForConsole(settings, source, { refused: () => undefined }, log);
  // Starting a process takes a turn of its own.
  const reader = spawn("sh", ["-c", `read -r _; exec curl -sSf -o /dev/null http://${running.address}/api/state`]);
  await once(reader, "spawn");
  const before = process.threadCpuUsage();
  const watch = watchTurns();
  reader.stdin.end("\n");
  const [code] = await once(reader, "exit");
  const { cpuUs, wallUs } = watch.end();
  const spent = process.threadCpuUsage(before);
  if (code !== 0) throw new Error(`curl ended with ${code}`);
  await running.close();
  return { cpuUs: cpuUs.max, wallUs: wallUs.max, totalUs: spent.user + spent.system };
}

for (const { workers, ranks } of fleets) await measure(workers, ranks);
process.exit(0);
