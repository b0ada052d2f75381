/**
 * CPU per pick and latency of the ext_proc server, and of llm-d's endpoint picker in the same run, driven by a client
 * that plays Envoy (client/, in Go). README.md says how to read the table.
 *
 *   node_modules/.bin/node bench/ext-proc/main.ts [--work shared,unique] [--sizes 1024,8192,65536,262144] [--concurrency 1,8] [--rounds 3]
 *     [--profile dynamo] [--peer-config approx|helm-default] [--peer FILE]
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { buildClient } from "./build-client.ts";
import { findPeer } from "./build-peer.ts";
import { compare } from "./compare.ts";
import { startOurs } from "./ours.ts";
import { startPeer } from "./peer.ts";
import { printTable, type Row } from "./report.ts";
import type { RunningPicker } from "./running-picker.ts";

const { values } = parseArgs({
  options: {
    work: { type: "string", default: "shared,unique" },
    sizes: { type: "string", default: "1024,8192,65536,262144" },
    concurrency: { type: "string", default: "1,8" },
    rounds: { type: "string", default: "3" },
    profile: { type: "string", default: "dynamo" },
    "peer-config": { type: "string", default: "approx" },
    peer: { type: "string" },
  },
});

/** The peer, or undefined after saying why there is none. */
async function peerIfAny(folder: string): Promise<RunningPicker | undefined> {
  const config = values["peer-config"];
  const binary = findPeer(values.peer);
  if ("missing" in binary) {
    console.log(`NO PEER, figures are ours alone: ${binary.missing}`);
    return undefined;
  }
  try {
    const peer = await startPeer(binary.file, folder, config);
    console.log(`Cells: ours / peer = ratio. Peer: ${binary.label}, ${config}.`);
    return peer;
  } catch (error) {
    console.log(`NO PEER, figures are ours alone: ${binary.label} does not start:\n${error}`);
    return undefined;
  }
}

async function allRows(client: string, ours: RunningPicker, peer: RunningPicker | undefined): Promise<Row[]> {
  const rounds = Number(values.rounds);
  const rows: Row[] = [];
  for (const work of values.work.split(",")) {
    for (const bodyBytes of values.sizes.split(",").map(Number)) {
      for (const concurrency of values.concurrency.split(",").map(Number)) {
        // Text of an earlier row would no longer be new.
        const seed = 1 + rows.length * rounds;
        rows.push(await compare({ client, ours, peer, rounds }, { work, bodyBytes, concurrency, seed }));
      }
    }
  }
  return rows;
}

const folder = mkdtempSync(join(tmpdir(), "pointsman-bench-"));
const client = buildClient();
const running: RunningPicker[] = [];
try {
  const ours = await startOurs(folder, values.profile);
  running.push(ours);
  const peer = await peerIfAny(folder);
  if (peer !== undefined) running.push(peer);
  const rows = await allRows(client, ours, peer);
  printTable(rows);
  console.log(`Medians of ${values.rounds}; ${cpus().length} cores, load average ${loadavg()[0]?.toFixed(1)}.`);
  process.exitCode = rows.some((row) => row.ours.failed + (row.peer?.failed ?? 0) > 0) ? 1 : 0;
} finally {
  await Promise.all(running.map((picker) => picker.stop()));
  rmSync(folder, { recursive: true, force: true });
}
