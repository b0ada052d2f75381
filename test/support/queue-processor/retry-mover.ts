import { setTimeout as delay } from "node:timers/promises";
import type { Redis } from "ioredis";
import { decodeMember } from "./envelope.ts";
import { defaults, type ProcessorVersion, type TransportOptions } from "./options.ts";

const moveScript = `
local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])
for _, member in ipairs(due) do redis.call('ZREM', KEYS[1], member) end
return due`;

const batchSize = 100;

/** Brings what is due in the retry queue back to its request queue, until the signal aborts. Never rejects. */
export async function moveRetries(
  redis: Redis,
  { version, transport, nowMs }: { version: ProcessorVersion; transport: TransportOptions; nowMs: () => number },
  signal: AbortSignal,
): Promise<void> {
  const { retry_queue_name: retries = defaults.retryQueue, poll_interval_ms: pollMs = defaults.pollIntervalMs } =
    transport;
  const move = async () => {
    const due = (await redis.eval(moveScript, 1, retries, nowMs() / 1_000, batchSize)) as string[];
    for (const member of due) {
      const { internal, deadline } = decodeMember(member, version);
      await redis.zadd(internal.request_queue_name ?? "", deadline, member);
    }
  };
  for (;;) {
    await delay(pollMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    await move().catch(() => undefined);
  }
}
