import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { pickOptionsOf } from "../../src/commands/pick-options.ts";
import { loadConfig } from "../../src/config/index.ts";
import {
  engineFigures,
  FleetSimulation,
  type SimulatedRequest,
  seededRandom,
  simulatedRequestOf,
} from "../../src/replay/index.ts";
import { freePorts } from "./support/free-ports.ts";
import { OwnProcess } from "./support/own-process.ts";
import { until } from "./support/until.ts";

const workers = 4;
const blockSize = 16;
const dayMs = 86_400_000;
const seed = Number(process.env["POINTSMAN_TEST_SEED"] ?? 20_261_129);

/** What the simulated router was told of a request, in order. */
type Told =
  | {
      readonly kind: "picked";
      readonly request: SimulatedRequest;
      readonly picked: string;
      readonly costs: Readonly<Record<string, number | undefined>>;
    }
  | { readonly kind: "prefilled" | "finished"; readonly request: SimulatedRequest };

/** Conversations that grow and others that end, more at a time than the workers can do at once. */
function trace(seed: number): readonly SimulatedRequest[] {
  const random = seededRandom(seed);
  const conversations: number[][] = [];
  return Array.from({ length: 250 }, (_, number) => {
    const known = conversations[Math.floor(random() * 12)];
    const ids = known ?? Array.from({ length: 40 }, (_, block) => block);
    if (known === undefined) conversations.push(ids);
    for (let block = Math.floor(random() * 30); block >= 0; block--) ids.push(1_000 * (number + 1) + block);
    const traced = {
      timestampMs: 20 * number,
      inputTokens: blockSize * ids.length,
      outputTokens: 40,
      blockIds: [...ids],
    };
    return simulatedRequestOf(traced, { blockSize, speed: 1 });
  });
}

/** What a live picker with the same settings says, asked the same in the same order. */
describe("a replay and the live picker", () => {
  let folder: string;
  let picker: OwnProcess;
  let url: string;
  const settings = {
    mode: "reserve",
    models: [{ name: "m", loadOnly: true, blockSize }],
    workers: Array.from({ length: workers }, (_, at) => ({ name: `w${at}`, endpoint: `10.0.0.${at}:80` })),
    approximateIndex: { ttlMs: dayMs },
    fleet: { healthCheck: { enabled: false } },
    metrics: { listen: "off" },
    health: { listen: "off" },
    log: { level: "info" },
  };

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pointsman-replay-"));
    const [port = 0] = await freePorts(1);
    url = `http://127.0.0.1:${port}`;
    const file = join(folder, "picker.yaml");
    await writeFile(file, stringify({ ...settings, routeApi: { listen: `127.0.0.1:${port}` } }));
    picker = await OwnProcess.start({
      name: "pointsman",
      file: process.execPath,
      args: ["dist/main.js", "serve", "--config", file],
    });
    await until(() => picker.lines.some((line) => line.includes("the picker is ready")), {
      what: "the picker to be ready",
      timeoutMs: 60_000,
      check: () => picker.assertRunning(),
    });
  });
  afterAll(async () => {
    await picker.end();
    await rm(folder, { recursive: true });
  });

  const call = async (method: string, path: string, body?: object) => {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const answer = await fetch(url + path, { method, ...init });
    expect(answer.ok, `${method} ${path}: ${answer.status} ${answer.ok ? "" : await answer.text()}`).toBe(true);
    return answer.status === 204 ? undefined : ((await answer.json()) as Record<string, never>);
  };

  function simulated(): readonly Told[] {
    const told: Told[] = [];
    const policy = { name: "configured", pick: pickOptionsOf(loadConfig({ env: {}, text: "{}", flags: { set: [] } })) };
    const fleet = { workers, engine: { ...engineFigures, blockSize, cacheBlocks: 1 << 20 }, guessMs: dayMs };
    new FleetSimulation(policy, fleet, seed, {
      picked: (request, _, decision) => {
        const { candidates } = decision.explain().answering;
        const costs = Object.fromEntries(candidates.map(({ workerName, terms }) => [workerName, terms?.cost]));
        told.push({ kind: "picked", request, picked: decision.selection.answering.rank.worker.name, costs });
      },
      prefilled: (request) => told.push({ kind: "prefilled", request }),
      finished: (request) => told.push({ kind: "finished", request }),
    }).run(trace(seed));
    return told;
  }

  it("reckon the same cost for every worker at every pick of a trace", async () => {
    const ids = new Map<SimulatedRequest, string>();
    let contested = 0;
    for (const step of simulated()) {
      if (step.kind === "picked") {
        const { request, picked, costs } = step;
        const prompt = { model_name: "m", block_hashes: signed(request.hashes.local) };
        const live = await call("POST", "/route", { ...prompt, explain: true });
        const { candidates, chosen } = (live as unknown as Explained).explanation.answering;
        const reckoned = candidates.map(({ worker_name, terms }) => [worker_name, terms?.cost] as const);
        expect(Object.fromEntries(reckoned)).toEqual(costs);
        // Among equally cheap ones chance decides, and each has its own.
        expect(costs[picked]).toBe(candidates[chosen]?.terms?.cost);
        if (new Set(Object.values(costs)).size > 1) contested++;
        const id = candidates.find(({ worker_name }) => worker_name === picked)?.worker_id;
        const allowed = { allowed_worker_ids: [numberOf(id)] };
        const booked = await call("POST", "/route_and_reserve", { ...prompt, ...allowed });
        ids.set(request, (booked as unknown as Booked).reservation.reservation_id);
      } else if (step.kind === "prefilled") {
        await call("POST", `/reservations/${ids.get(step.request)}/prefill_complete`);
      } else {
        await call("DELETE", `/reservations/${ids.get(step.request)}`);
      }
    }
    expect(contested).toBeGreaterThan(200);
  });
});

interface Booked {
  readonly reservation: { readonly reservation_id: string };
}

interface Explained {
  readonly explanation: {
    readonly answering: {
      readonly chosen: number;
      readonly candidates: readonly {
        readonly worker_id: string;
        readonly worker_name: string;
        readonly terms?: { readonly cost: number };
      }[];
    };
  };
}

/** As JSON writes them: block ids of the test are small. */
function signed(local: Uint32Array): readonly number[] {
  return Array.from({ length: local.length >>> 1 }, (_, block) => local[2 * block] ?? 0);
}

function numberOf(id: string | undefined): number {
  const value = Number(id);
  expect(Number.isSafeInteger(value)).toBe(true);
  return value;
}
