import { execFileSync } from "node:child_process";
import { readTokenizer, type TokenizerName } from "../../scripts/tokenizers.ts";

const loaders = ["ours", "official", "script"] as const;
export type Loader = (typeof loaders)[number];

export interface Footprint {
  readonly loadMs: number;
  /** Growth of the resident set, the file's bytes and garbage collected. */
  readonly residentMb: number;
}

/** Load time and memory of each engine, each in a process of its own. */
export function footprints(name: TokenizerName): Readonly<Record<Loader, Footprint>> {
  const [ours, official, script] = loaders.map((loader) => measure(name, loader));
  if (ours === undefined || official === undefined || script === undefined) throw new Error("a loader is missing");
  return { ours, official, script };
}

function measure(name: TokenizerName, loader: Loader): Footprint {
  const output = execFileSync(process.execPath, ["--expose-gc", import.meta.filename, name, loader], {
    encoding: "utf8",
  });
  return JSON.parse(output) as Footprint;
}

if (import.meta.main) {
  const [, , name, loader] = process.argv as unknown as [string, string, TokenizerName, Loader];
  const { loadOfficial, loadOurs, loadScript } = await import("./engines.ts");
  readTokenizer(name);
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  const from = performance.now();
  const loaded = await { ours: loadOurs, official: loadOfficial, script: loadScript }[loader](name);
  const loadMs = performance.now() - from;
  globalThis.gc?.();
  console.log(JSON.stringify({ loadMs, residentMb: (process.memoryUsage.rss() - before) / 2 ** 20 }));
  if (loaded === undefined) process.exitCode = 1;
}
