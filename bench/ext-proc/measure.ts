import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { Figures } from "./figures.ts";
import { parseFigures } from "./figures.ts";
import type { RunningPicker } from "./running-picker.ts";

const clockTicksPerSecond = 100;
const requestsBySize = new Map([
  [1024, 3000],
  [8192, 2000],
  [65_536, 600],
  [262_144, 250],
]);

/** What one run of the client sends. */
export interface Load {
  readonly work: string;
  /** About how large a body is. */
  readonly bodyBytes: number;
  /** Requests under way at any moment, each a stream of one HTTP/2 connection. */
  readonly concurrency: number;
  /** The same seed makes the same bodies. */
  readonly seed: number;
}

/** Cores that each picker keeps busy with no request, over one second. */
export async function idleCores(pickers: readonly RunningPicker[]): Promise<number[]> {
  const before = pickers.map((picker) => cpuMs(picker.pid));
  const startedMs = performance.now();
  await delay(1000);
  const wallMs = performance.now() - startedMs;
  return pickers.map((picker, i) => (cpuMs(picker.pid) - (before[i] ?? 0)) / wallMs);
}

/** Runs the client once. @param idle cores the picker is busy with in any case; not charged to the picks */
export async function measure(client: string, picker: RunningPicker, load: Load, idle: number): Promise<Figures> {
  const requests = requestsBySize.get(load.bodyBytes) ?? 500;
  const warmup = Math.ceil(requests / 5);
  const { work, bodyBytes, concurrency, seed } = load;
  const flags = {
    addr: `127.0.0.1:${picker.port}`,
    work,
    size: bodyBytes,
    c: concurrency,
    n: requests,
    warm: warmup,
    seed,
  };
  const args = Object.entries(flags).flatMap(([name, value]) => [`-${name}`, String(value)]);
  const before = cpuMs(picker.pid);
  const startedMs = performance.now();
  const { stdout } = await promisify(execFile)(client, args);
  const idleMs = idle * (performance.now() - startedMs);
  return parseFigures(stdout, (cpuMs(picker.pid) - before - idleMs) / (requests + warmup));
}

/** User and system time of a process so far, ms. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / clockTicksPerSecond;
}
