/**
 * Cost of choosing and booking: a prompt of 512 blocks that some workers hold partly, among 8, 64 and 256 workers; alone and as a pair.
 * Run: node_modules/.bin/node bench/pick.ts
 */
import { performance } from "node:perf_hooks";
import { Catalogue, type StaticWorkerEntry, staticWorkers } from "../src/fleet/index.ts";
import { type BlockHashes, hashBlocks, PrefixIndex } from "../src/kv/index.ts";
import { LeaseTable, LoadTable } from "../src/load/index.ts";
import { resolvePickOptions, SessionTable } from "../src/pick/index.ts";
import {
  DecisionLog,
  ModelRegistry,
  noAdmission,
  noDemands,
  type RouteReservation,
  Router,
  resolveDisaggregation,
} from "../src/router/index.ts";

const blockSize = 16;
const promptTokens = 8_192;
const prompts: readonly BlockHashes[] = Array.from({ length: 256 }, (_, prompt) => {
  const tokens = Uint32Array.from({ length: promptTokens }, (_, i) => (i < 2_048 ? i : i * 7 + prompt * 100_003));
  return hashBlocks(tokens, { blockSize });
});

interface Fleet {
  readonly workers: number;
  readonly isSplit: boolean;
}

function entry(i: number, { isSplit }: Fleet): StaticWorkerEntry {
  const role = isSplit ? (i % 2 === 0 ? "prefill" : "decode") : "aggregated";
  return { name: `w${i}`, endpoint: `10.0.${i >> 8}.${i & 255}:80`, role, labels: { zone: `z${i % 4}` } };
}

function placerOf(fleet: Fleet): (n: number) => RouteReservation {
  const catalogue = new Catalogue();
  catalogue.replaceAll(staticWorkers(Array.from({ length: fleet.workers }, (_, i) => entry(i, fleet))));
  const slots = [...catalogue.workers()].flatMap(({ ranks }) => ranks.map(({ slot }) => slot));
  const index = new PrefixIndex({ blockSize, maxBlocks: 1 << 20 });
  for (const [i, { sequence, local }] of prompts.entries()) {
    for (let copy = 0; copy < 4; copy++) {
      const slot = slots[(i * 4 + copy) % slots.length] ?? 0;
      index.store(slot, { parentHash: undefined, blockHashes: sequence, localHashes: local });
    }
  }
  const model = { name: "m", aliases: [], pipeline: undefined, index };
  const router = new Router(
    {
      models: new ModelRegistry([model]),
      catalogue,
      loads: new LoadTable(),
      leases: new LeaseTable({}, performance, () => "none"),
      sessions: new SessionTable({}, performance),
      decisions: new DecisionLog({}, Date.now),
      random: Math.random,
    },
    {
      pick: resolvePickOptions({ prefillLoadScale: 8, crowdingRatio: 1.25, crowdingSlack: 4 }),
      disaggregation: resolveDisaggregation({
        topology: { label: "zone", enforcement: "prefer", crossDomainWeight: 1 },
      }),
      affinity: { mode: "soft", softRatio: 0.5, softBlocks: 64 },
      admission: noAdmission,
      maxFallbacks: 0,
      refuseUnknownShapes: false,
      maxJsonDepth: 64,
      unknownModel: "refuse",
    },
  );
  const anywhere = { subset: undefined, requestedEndpoints: undefined };
  const base = { api: "completions" as const, model, promptTokens, bodyEdit: undefined, loadOnlyReason: undefined };
  return (n: number) => {
    const prompt = (n * 31) % prompts.length;
    const session = { id: `s${prompt}`, isFinal: false };
    const subject = { ...base, hashes: prompts[prompt], demands: noDemands, session };
    return router.place(subject, anywhere).reservation;
  };
}

/** CPU time of a pick with four requests running on each worker, in us: the median of five rounds. */
function cpuUs(fleet: Fleet): number {
  const place = placerOf(fleet);
  const running: RouteReservation[] = [];
  const round = (picks: number): number => {
    const start = process.cpuUsage();
    for (let n = 0; n < picks; n++) {
      running.push(place(n));
      if (running.length > 4 * fleet.workers) running.shift()?.release();
    }
    const { user, system } = process.cpuUsage(start);
    return (user + system) / picks;
  };
  round(10_000);
  const rounds = Array.from({ length: 5 }, () => round(10_000)).toSorted((a, b) => a - b);
  return rounds[2] ?? Number.NaN;
}

for (const workers of [8, 64, 256]) {
  for (const isSplit of [false, true]) {
    const name = `${workers} workers, ${isSplit ? "a pair of two zones" : "one worker"}`;
    process.stdout.write(`${cpuUs({ workers, isSplit }).toFixed(1).padStart(8)} us  ${name}\n`);
  }
}
