import type { Redis } from "ioredis";
import { activeKey } from "./scripts.ts";
import type { Waiter } from "./waiters.ts";

/** Keys that are asked for at once. */
const keysAtOnce = 500;

/** Requests that a server knows nothing of, although it should, and what has to be read before that is sure. */
export interface Missing {
  readonly waiters: readonly Waiter[];
  /** Results that were there at that time: one of them may be a missing request's. */
  readonly unreadResults: number;
}

/**
 * Finds waiting requests of which a server that was just connected knows nothing. A processor forgets a request only after it has written its
 * result: what is neither known nor among the results is lost, with the server's memory or on the way here.
 * @param list where results come in; undefined = their number does not matter
 */
export async function findMissing(
  client: Redis,
  waiters: readonly Waiter[],
  list: string | undefined,
): Promise<Missing> {
  const missing: Waiter[] = [];
  for (let at = 0; at < waiters.length; at += keysAtOnce) {
    const some = waiters.slice(at, at + keysAtOnce);
    const tokens = await client.mget(some.map(({ id }) => activeKey(id)));
    missing.push(...some.filter((_, i) => tokens[i] === null || tokens[i] === undefined));
  }
  if (missing.length === 0 || list === undefined) return { waiters: missing, unreadResults: 0 };
  return { waiters: missing, unreadResults: await client.llen(list) };
}
