/**
 * The proxy beside SMG and vllm-router, and beside sglang-router, in one run and in turns: the same workers, bodies and client. Added time to the first byte of the
 * body at one connection, CPU of the router per request, requests a second at more connections (with two shards as well), and memory with many open streams.
 * `PEERS_HOME=... node_modules/.bin/node bench/proxy/main.ts [--rounds 20] [--requests 25] [--warmup 1500] [--streams 1000] [--sizes 1,8,64] [--connections 16,64] [--seconds 2] [--pairs]` (after `npm run build`).
 * With `--pairs` two of the workers prefill and two decode, as SGLang's do.
 * The peers are wheels: `python3 -m venv $PEERS_HOME/venv-smg && $PEERS_HOME/venv-smg/bin/pip install smg==1.13.0`, and
 * `venv-vllm_router` with `vllm-router==0.1.17`, `venv-sglang_router` with `sglang-router==0.3.2`. Those that are not there are left out.
 */
import { parseArgs } from "node:util";
import { prose, seededRandom } from "../../test/support/load/index.ts";
import { cpuMs, residentBytes, startStage, type Target } from "./routers.ts";
import { chatRequest, StreamClient } from "./stream-client.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    requests: { type: "string", default: "25" },
    warmup: { type: "string", default: "1500" },
    streams: { type: "string", default: "1000" },
    sizes: { type: "string", default: "1,8,64" },
    connections: { type: "string", default: "16,64" },
    seconds: { type: "string", default: "2" },
    pairs: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const perRound = Number(values.requests);
/** Requests before the first figure of a cell: code is compiled, and the beginnings are known. */
const warmup = Number(values.warmup);
const streams = Number(values.streams);
const sizes = values.sizes.split(",").map(Number);
/** Bodies that only the warm-up sends. */
const warmupBodies = 200;
const bodyCount = rounds * perRound + warmupBodies;
/** Beginnings that bodies share: 80 % of each. */
const prefixes = 32;

/** Ends that were used: none comes twice, so that its tokens are not known. */
let ends = 0;

const crowds = values.connections
  .split(",")
  .filter((text) => text !== "")
  .map(Number);
const stage = await startStage({ isSplit: values.pairs, hasShards: crowds.length > 0 });
try {
  for (const kilobytes of sizes) {
    for (const isStream of [false, true]) {
      for (const targets of blocks()) await compare(targets, kilobytes * 1_024, isStream);
    }
  }
  for (const connections of crowds) {
    for (const isStream of [false, true]) {
      for (const targets of blocks(stage.sharded)) await crowd(targets, connections, isStream);
    }
  }
  console.log(`\nmemory with ${streams} open streams, MB: before, with them, after`);
  for (const target of stage.targets) await hold(target);
} finally {
  await stage.close();
}

/**
 * Those that are measured in turns. sglang-router has a block of its own, with a row of ours: it holds each stream back for 44 ms, and a process that
 * rested so long answers the next request later, whichever it is.
 */
function blocks(added?: Target): readonly (readonly Target[])[] {
  const [direct, ours, ...peers] = stage.targets as [Target, Target, ...Target[]];
  const holding = peers.filter(({ name }) => name === "sglang-router");
  const others = [direct, ours, ...peers.filter((peer) => !holding.includes(peer)), ...(added ? [added] : [])];
  return holding.length === 0 ? [others] : [others, [direct, ours, ...holding]];
}

/** What one target did in one cell. */
interface Figures {
  readonly firstByteMs: number[];
  /** CPU time a request, ms, of each round: another thread's work in one of them, such as loading a tokenizer, is not the requests'. */
  readonly cpuMs: number[];
}

/** One cell of the table: all targets in turns, so that what else the machine does hits all of them. */
async function compare(targets: readonly Target[], bytes: number, isStream: boolean): Promise<void> {
  const requests = bodies(bytes, isStream).map(chatRequest);
  const lanes = await Promise.all(
    targets.map(async (target) => ({
      target,
      client: await StreamClient.connect(target.port),
      figures: { firstByteMs: [], cpuMs: [] } as Figures,
    })),
  );
  for (const { client } of lanes) {
    for (let i = 0; i < warmup; i++) await client.send(requests[bodyCount - 1 - (i % warmupBodies)] as Buffer);
  }
  for (let round = 0; round < rounds; round++) {
    const part = requests.slice(round * perRound, (round + 1) * perRound);
    for (const { target, client, figures } of lanes) await measure(target, client, part, figures);
  }
  for (const { client } of lanes) client.close();
  console.log(`\n${bytes / 1_024} KB, ${isStream ? "SSE" : "JSON"}: first byte, added to direct, ms; CPU ms a request`);
  const direct = percentile(lanes[0]?.figures.firstByteMs ?? [], 0.5);
  for (const { target, figures } of lanes) console.log(lineOf(target, figures, direct));
}

async function measure(
  { process: router }: Target,
  client: StreamClient,
  requests: readonly Buffer[],
  figures: Figures,
): Promise<void> {
  const before = router === undefined ? 0 : cpuMs(router);
  for (const request of requests) figures.firstByteMs.push((await client.send(request)).firstByteMs);
  if (router !== undefined) figures.cpuMs.push((cpuMs(router) - before) / requests.length);
}

function lineOf({ name, process: router }: Target, { firstByteMs, cpuMs: roundMs }: Figures, directMs: number): string {
  const p50 = percentile(firstByteMs, 0.5);
  const line = `  ${name.padEnd(12)} p50 ${p50.toFixed(3)}  p99 ${percentile(firstByteMs, 0.99).toFixed(3)}`;
  if (router === undefined) return line;
  return `${line}  added ${(p50 - directMs).toFixed(3)}  cpu ${percentile(roundMs, 0.5).toFixed(3)}`;
}

/** What one target did with many connections. */
interface CrowdFigures {
  answered: number;
  seconds: number;
  cpuMs: number;
  firstByteMs: number[];
}

/** Many connections that each send when they have their answer: 8 KB, all targets in turns, four times, of which the first warms up and does not count. */
async function crowd(targets: readonly Target[], connections: number, isStream: boolean): Promise<void> {
  const requests = bodies(8 * 1_024, isStream).map(chatRequest);
  const results = targets.map((target) => ({ target, figures: noFigures() }));
  for (let round = 0; round < 4; round++) {
    for (const result of results) {
      if (round === 1) result.figures = noFigures();
      await press(result.target, connections, requests, result.figures);
    }
  }
  console.log(
    `\n8 KB, ${isStream ? "SSE" : "JSON"}, ${connections} connections: requests a second; first byte ms; CPU ms a request`,
  );
  for (const { target, figures } of results) {
    const { answered, seconds, firstByteMs, cpuMs: spentMs } = figures;
    const [p50, p99] = [percentile(firstByteMs, 0.5).toFixed(1), percentile(firstByteMs, 0.99).toFixed(1)];
    const rate = Math.round(answered / seconds);
    console.log(
      `  ${target.name.padEnd(13)} ${String(rate).padStart(6)}  p50 ${p50}  p99 ${p99}  cpu ${(spentMs / answered).toFixed(2)}`,
    );
  }
}

function noFigures(): CrowdFigures {
  return { answered: 0, seconds: 0, cpuMs: 0, firstByteMs: [] };
}

async function press(
  { port, process: router }: Target,
  connections: number,
  requests: readonly Buffer[],
  figures: CrowdFigures,
): Promise<void> {
  const clients = await Promise.all(Array.from({ length: connections }, () => StreamClient.connect(port)));
  const before = router === undefined ? 0 : cpuMs(router);
  const start = performance.now();
  const deadline = start + 1_000 * Number(values.seconds);
  const lane = async (client: StreamClient) => {
    while (performance.now() < deadline) {
      const { firstByteMs } = await client.send(requests[figures.answered++ % requests.length] as Buffer);
      figures.firstByteMs.push(firstByteMs);
    }
  };
  await Promise.all(clients.map(lane));
  figures.seconds += (performance.now() - start) / 1_000;
  if (router !== undefined) figures.cpuMs += cpuMs(router) - before;
  for (const client of clients) client.close();
}

/** Opens streams that do not end, and looks at the router's memory. */
async function hold({ name, port, process: router }: Target): Promise<void> {
  if (router === undefined) return;
  const megabytes = () => Math.round(residentBytes(router) / 1_048_576);
  const before = megabytes();
  const [body = ""] = bodies(1_024, true);
  const request = chatRequest(JSON.stringify({ ...(JSON.parse(body) as object), metadata: { hold: "yes" } }));
  const open: StreamClient[] = [];
  while (open.length < streams) {
    const batch = await Promise.all(Array.from({ length: 20 }, () => StreamClient.connect(port)));
    await Promise.all(batch.map((client) => client.send(request, true)));
    open.push(...batch);
  }
  const during = megabytes();
  for (const client of open) client.close();
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  console.log(`  ${name.padEnd(12)} ${before}  ${during}  ${megabytes()}`);
}

/** Bodies of about so many bytes: a few beginnings, an end of its own each. */
function bodies(bytes: number, isStream: boolean): readonly string[] {
  return Array.from({ length: bodyCount }, (_, i) => {
    const shared = prose(bytes, seededRandom(i % prefixes)).slice(0, bytes * 0.8);
    const own = prose(bytes, seededRandom(1_000 + ends++)).slice(0, bytes * 0.2);
    const messages = [
      { role: "system", content: shared },
      { role: "user", content: own },
    ];
    return JSON.stringify({ model: "qwen3", messages, ...(isStream ? { stream: true } : {}) });
  });
}

function percentile(list: readonly number[], share: number): number {
  const sorted = list.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
