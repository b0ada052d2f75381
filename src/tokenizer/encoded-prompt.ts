import { Buffer } from "node:buffer";
import { type IdRun, writeDecimals } from "./id-run.ts";
import type { EncodedPrompt } from "./tokenizer.ts";

/** A prompt of cached runs: its ids and their decimals are copies of the runs'. */
export function promptOfRuns(runs: readonly IdRun[]): EncodedPrompt {
  return { ids: joinIds(runs), decimals: () => Buffer.concat(runs.map((run) => run.decimals)) };
}

/** A prompt of which only the ids are known. */
export function promptOfIds(ids: Uint32Array): EncodedPrompt {
  return { ids, decimals: () => writeDecimals(ids) };
}

export function joinIds(runs: readonly IdRun[]): Uint32Array {
  let length = 0;
  for (const run of runs) length += run.ids.length;
  const ids = new Uint32Array(length);
  let start = 0;
  for (const run of runs) {
    ids.set(run.ids, start);
    start += run.ids.length;
  }
  return ids;
}
