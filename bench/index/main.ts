/**
 * The prefix index beside Dynamo's trees (the crate dynamo-kv-router, where there is a Rust tool chain), in one run and interleaved:
 * building, searching, memory, and KV events; and what 50,000 blocks/s of events do to picks.
 * `node_modules/.bin/node bench/index/main.ts [--rounds 3] [--blocks 1048576]`
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { engineFrames } from "./engine-frames.ts";
import { findPeer } from "./peer.ts";
import { picksUnderEvents } from "./picks-under-events.ts";
import { quantile } from "./workload.ts";

const { values } = parseArgs({
  options: { rounds: { type: "string", default: "3" }, blocks: { type: "string", default: "1048576" } },
});
const rounds = Number(values.rounds);
const peer = findPeer();
if ("missing" in peer) {
  console.log(`Without Dynamo's trees: ${peer.missing}`);
  console.log(
    "Measured elsewhere, p50 us for 512 blocks that are held (RadixTree): 0.86, 1.28, 2.88 at 8, 16, 64 workers.",
  );
}

interface TreeFigures {
  readonly name: string;
  readonly build_blocks_per_second: number;
  readonly bytes_per_block: number;
  readonly find_us: {
    readonly hit: [number, number];
    readonly shared: [number, number];
    readonly miss: [number, number];
  };
}

interface FrameFigures {
  readonly name: string;
  readonly decode: number;
  readonly decoded_events: number;
  readonly frames: number;
}

function lines<T>(file: string, args: readonly string[]): T[] {
  return execFileSync(file, args, { encoding: "utf8" })
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as T);
}

function script(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** All rounds of everyone, one after the other, by name. */
function interleaved<T extends { readonly name: string }>(
  ours: readonly string[],
  theirs: readonly string[],
): Map<string, T[]> {
  const byName = new Map<string, T[]>();
  for (let round = 0; round < rounds; round++) {
    const all = [...lines<T>(process.execPath, ours), ...("file" in peer ? lines<T>(peer.file, theirs) : [])];
    for (const each of all) byName.set(each.name, [...(byName.get(each.name) ?? []), each]);
  }
  return byName;
}

function median(all: readonly TreeFigures[], of: (figures: TreeFigures) => number): number {
  return quantile(all.map(of), 0.5);
}

const millions = (rate: number) => `${(rate / 1e6).toFixed(1)} M/s`;
const us = (time: number) => time.toFixed(2);

for (const workers of [8, 16, 64]) {
  const sizes = [String(workers), values.blocks];
  const figures = interleaved<TreeFigures>([script("trees.ts"), ...sizes], sizes);
  console.log(`\n${workers} workers, ${values.blocks} blocks held, prompts of 512 blocks; find p50/p99 in us`);
  for (const [name, all] of figures) {
    const find = (of: (times: TreeFigures["find_us"]) => [number, number]) =>
      [0, 1].map((at) => us(median(all, ({ find_us }) => of(find_us)[at] ?? 0))).join("/");
    const bytes = median(all, (each) => each.bytes_per_block);
    console.log(
      `  ${name}: build ${millions(Math.max(...all.map((each) => each.build_blocks_per_second)))}, ` +
        `find all held ${find((times) => times.hit)}, 256 held ${find((times) => times.shared)}, ` +
        `none ${find((times) => times.miss)}${bytes === 0 ? "" : `, ${bytes.toFixed(0)} bytes a block`}`,
    );
  }
  const [ours, theirs] = ["PrefixIndex", "RadixTree"].map((name) =>
    median(figures.get(name) ?? [], (f) => f.find_us.hit[0]),
  );
  if (ours !== undefined && theirs !== undefined && !Number.isNaN(theirs)) {
    console.log(`  find against RadixTree's p50: ${(ours / theirs).toFixed(2)} times (bar: 3)`);
  }
}

const folder = mkdtempSync(join(tmpdir(), "pointsman-bench-index-"));
try {
  const file = join(folder, "frames");
  writeFileSync(file, engineFrames());
  console.log(
    "\nKV events, 32 blocks of 16 tokens a store, two stores a frame; blocks of CPU time, best of all rounds",
  );
  for (const [name, all] of interleaved<FrameFigures>([script("frames.ts"), file, "16"], ["frames", file, "16"])) {
    const best = (of: (figures: FrameFigures) => number) => millions(Math.max(...all.map(of)));
    console.log(
      `  ${name}: decode ${best((f) => f.decode)}, decoded events applied ${best((f) => f.decoded_events)} (bar: 2.5), ` +
        `whole frames ${best((f) => f.frames)}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

console.log("\nPicks of 512 blocks among 64 workers, with and without 50,000 blocks/s of events; pairs of runs");
for (const line of await picksUnderEvents(3 * rounds)) console.log(`  ${line}`);
