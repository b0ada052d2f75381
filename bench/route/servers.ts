import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { request } from "undici";
import { stringify } from "yaml";
import { ensureOraclePython, OracleFolder } from "../../scripts/oracle/environment.ts";
import { SelectService } from "../../scripts/oracle/select-service.ts";
import { freePorts } from "../../test/e2e/support/free-ports.ts";
import { testModelFolder } from "../../test/e2e/support/model-folder.ts";
import { OwnProcess } from "../../test/e2e/support/own-process.ts";
import { until } from "../../test/e2e/support/until.ts";
import { blockSize, CachedEngine, tokenOf } from "./engines.ts";
import type { Target } from "./measure.ts";

export const workerCount = 8;
/** Families of prompts; each worker holds some of them. */
export const families = 16;
/** Tokens that a worker holds of a family. */
const cachedTokens = 8_192;
/** Name of the model of which the client's text is. */
export const textModel = "qwen3";

/** Ours, and Dynamo's, over the same engines. */
export interface Servers {
  readonly ours: Target;
  /** Ours again, over a Unix socket. */
  readonly oursBySocket: Target;
  readonly theirs: Target;
  stop(): Promise<void>;
}

/** Starts both services as users run them, with the same workers, and waits until both know what the workers hold. */
export async function startServers(folder: string): Promise<Servers> {
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const engines: CachedEngine[] = [];
    for (let i = 0; i < workerCount; i++) {
      const held = [i, i + workerCount].filter((family) => family < families);
      const engine = await CachedEngine.start(held, cachedTokens);
      engines.push(engine);
      stops.push(() => engine.stop());
    }
    const oracle = await OracleFolder.make();
    stops.push(() => oracle.remove());
    const service = await SelectService.start(await ensureOraclePython(), oracle);
    stops.push(() => service.stop());
    const own = await startOurs(folder);
    stops.push(() => own.stop());
    const theirs: Target = { name: "select_service", pid: service.pid, address: { port: portOf(service.address) } };
    for (const target of [own.ours, theirs]) await register(target, engines);
    return { ours: own.ours, oursBySocket: own.bySocket, theirs, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startOurs(folder: string) {
  const [port = 0] = await freePorts(1);
  const file = join(folder, "route.yaml");
  const socket = join(folder, "route.sock");
  const settings = {
    mode: "reserve",
    routeApi: { listen: `127.0.0.1:${port}`, socket },
    routing: { prefillLoadScale: 1, tieBreak: "random", crowdingSlack: 0 },
    metrics: { listen: "off" },
    log: { level: "warn" },
    models: [{ name: textModel, folder: testModelFolder(), profile: "vllm", blockSize }],
  };
  await writeFile(file, stringify(settings));
  const child = await OwnProcess.start({
    name: "pointsman",
    file: process.execPath,
    args: ["dist/main.js", "serve", "--config", file],
  });
  const isUp = async () => (await request(`http://127.0.0.1:${port}/health`)).statusCode === 200;
  await until(() => isUp().catch(() => false), {
    what: "the route API",
    timeoutMs: 60_000,
    check: () => child.assertRunning(),
  });
  const ours: Target = { name: "pointsman", pid: child.pid, address: { port } };
  const bySocket: Target = { name: "pointsman, Unix socket", pid: child.pid, address: { path: socket } };
  return { ours, bySocket, stop: async () => void (await child.end()) };
}

async function register({ address }: Target, engines: readonly CachedEngine[]): Promise<void> {
  const port = "port" in address ? address.port : 0;
  for (const [i, engine] of engines.entries()) {
    await post(port, "/workers", {
      worker_id: i + 1,
      model_name: textModel,
      endpoint: `http://10.0.0.${i + 1}:8000`,
      kv_events_endpoint: engine.eventsEndpoint,
      replay_endpoint: engine.replayEndpoint,
      block_size: blockSize,
    });
  }
  const sees = async () => {
    for (const engine of engines) await engine.nudge(2);
    for (let family = 0; family < families; family++) {
      const token_ids = Array.from({ length: cachedTokens }, (_, i) => tokenOf(family, i));
      const { workers } = (await post(port, "/overlap_scores", { token_ids, model_name: textModel })) as OverlapScores;
      if (!workers.some(({ device_blocks }) => device_blocks === cachedTokens / blockSize)) return false;
    }
    return true;
  };
  await until(sees, { what: "the caches to be known", timeoutMs: 30_000, intervalMs: 200 });
}

interface OverlapScores {
  readonly workers: readonly { readonly device_blocks: number }[];
}

async function post(port: number, path: string, body: unknown): Promise<unknown> {
  const answer = await request(`http://127.0.0.1:${port}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const json: unknown = await answer.body.json();
  if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.statusCode} ${JSON.stringify(json)}`);
  return json;
}

function portOf(address: string): number {
  return Number(address.slice(address.lastIndexOf(":") + 1));
}
