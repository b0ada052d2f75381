/**
 * Microseconds a body of `parseJson` beside `JSON.parse` (which loses digits, order and spans), in one run; medians.
 * Warm: turns of conversations that were seen. First sight: conversations that were not, once the reader's memory has been in use;
 * new process: the same before, when the operating system still has to hand out each page.
 * Run: node_modules/.bin/node bench/json/main.ts
 */
import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { parseJson } from "../../src/json/index.ts";
import { Parser } from "../../src/json/parser.ts";
import { type Workload, workloads } from "./bodies.ts";

const limits = { maxDepth: 512, finiteNumbers: true, rawControlCharacters: true };
const turns = 32;

const readers = {
  native: (body: Buffer) => JSON.parse(body.toString("utf8")),
  ours: (body: Buffer) => parseJson(body, limits),
  plain: (body: Buffer) => new Parser(body, limits).document(),
};

/** Median time of one call, in us. Each body is a fresh copy, as one that came over a socket. */
function medianUs(bodies: readonly Buffer[], rounds: number, read: (body: Buffer) => unknown): number {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    for (const body of bodies) {
      const copy = Buffer.from(body);
      const from = performance.now();
      read(copy);
      times.push(performance.now() - from);
    }
  }
  times.sort((a, b) => a - b);
  return 1e3 * (times[times.length >> 1] ?? Number.NaN);
}

let conversations = 1_000;

/** Bodies of conversations that no call has had. */
function unseen({ body }: Workload): Buffer[] {
  return Array.from({ length: turns }, () => body(16 * conversations++));
}

/** Enough new text for both generations of kept strings. */
function useWholeMemory(): void {
  for (let text = 0; text < 1_200; text++) parseJson(Buffer.from(JSON.stringify(randomBytes(32_768).toString("hex"))));
}

function print(name: string, cells: readonly (string | number)[]): void {
  process.stdout.write(`${name.padEnd(24)}${cells.map((cell) => String(cell).padStart(13)).join("")}\n`);
}

for (const { body } of workloads) {
  const bodies = Array.from({ length: turns }, (_, turn) => body(turn));
  for (const read of Object.values(readers)) medianUs(bodies, 20, read);
}
const newProcess = new Map(workloads.map((workload) => [workload.name, medianUs(unseen(workload), 1, readers.ours)]));
useWholeMemory();
print("", [
  "bytes",
  "JSON.parse",
  "warm",
  "ratio",
  "bar",
  "first sight",
  "ratio",
  "bar",
  "new process",
  "plain parser",
]);
let isOver = false;
for (const workload of workloads) {
  const { name, body, bar, firstSightBar } = workload;
  const bodies = Array.from({ length: turns }, (_, turn) => body(turn));
  const fresh = unseen(workload);
  const nativeFirst = medianUs(fresh, 1, readers.native);
  const first = medianUs(fresh, 1, readers.ours);
  readers.ours(bodies[0] ?? Buffer.from("0"));
  const native = medianUs(bodies, 40, readers.native);
  const warm = medianUs(bodies, 40, readers.ours);
  const plain = medianUs(bodies, 10, readers.plain);
  isOver ||= warm / native > bar || first / nativeFirst > firstSightBar;
  const figures = [native, warm, warm / native, bar, first, first / nativeFirst, firstSightBar];
  const rest = [newProcess.get(name) ?? Number.NaN, plain];
  print(name, [bodies[0]?.length ?? 0, ...[...figures, ...rest].map((figure) => figure.toFixed(2))]);
}
if (isOver) process.stdout.write("a bar is missed\n");
process.exitCode = isOver ? 1 : 0;
