import type { Buffer } from "node:buffer";
import type { IdRun } from "./id-run.ts";

/**
 * Token ids as runs behind other token ids, which more prompts may begin with: what is worked out for a chain can be kept with it
 * and holds for all of them. Never changed.
 */
export interface TokenChain {
  readonly parent: TokenChain | undefined;
  /** Its own ids, after the parent's. */
  readonly runs: readonly IdRun[];
  /** Number of ids, with the parent's. */
  readonly length: number;
}

/** A copy of all ids in one array. */
export function idsOf(chain: TokenChain): Uint32Array {
  const ids = new Uint32Array(chain.length);
  let end = chain.length;
  for (let link: TokenChain | undefined = chain; link !== undefined; link = link.parent) {
    for (let index = link.runs.length - 1; index >= 0; index--) {
      const run = link.runs[index] as IdRun;
      end -= run.ids.length;
      copy(run.ids, ids, end);
    }
  }
  return ids;
}

/** Up to here a loop costs less than a call of `set`: half of a prompt's runs are a few words between two messages. */
const shortRun = 32;

function copy(from: Uint32Array, to: Uint32Array, at: number): void {
  const { length } = from;
  if (length > shortRun) to.set(from, at);
  else for (let index = 0; index < length; index++) to[at + index] = from[index] as number;
}

/** Each id in decimal after a comma, as in `,123,45`, in parts that are kept with the runs. */
export function decimalsOf(chain: TokenChain): readonly Buffer[] {
  const links: TokenChain[] = [];
  for (let link: TokenChain | undefined = chain; link !== undefined; link = link.parent) links.push(link);
  const parts: Buffer[] = [];
  for (let index = links.length - 1; index >= 0; index--) {
    for (const run of (links[index] as TokenChain).runs) parts.push(run.decimals);
  }
  return parts;
}
