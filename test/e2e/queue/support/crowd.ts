import type { RecordedClient } from "./recorded-client.ts";

/** What came of many requests: how often each kind of outcome, and whether each was its own. */
export interface CrowdOutcome {
  readonly counts: Readonly<Record<string, number>>;
  /** Answers that belong to another request. */
  readonly strange: readonly string[];
}

/** `total` requests, `atOnce` of them waiting at a time; each has its number in the payload, which the gateway sends back. */
export async function crowd(
  clients: readonly RecordedClient[],
  { total, atOnce, timeoutMs, onDone }: CrowdOptions,
): Promise<CrowdOutcome> {
  const counts: Record<string, number> = {};
  const strange: string[] = [];
  let next = 0;
  let done = 0;
  const caller = async () => {
    while (next < total) {
      const n = next++;
      const payload = `{"n":${n}}`;
      const outcome = await clients[n % clients.length]?.ask({ payload: Buffer.from(payload), timeoutMs });
      const [kind = "", body] = (outcome ?? "").split(" ");
      counts[kind] = (counts[kind] ?? 0) + 1;
      if (kind === "200" && body !== payload) strange.push(`${payload}: ${outcome}`);
      onDone?.(++done);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return { counts, strange };
}

export interface CrowdOptions {
  readonly total: number;
  readonly atOnce: number;
  readonly timeoutMs: number;
  /** Told of each outcome. @param done how many there are */
  readonly onDone?: (done: number) => void;
}
