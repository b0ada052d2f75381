import type { Buffer } from "node:buffer";
import type { Redis } from "ioredis";

/** How long a cancellation is remembered, s; as llm-d-async's producer has it. */
const cancelTtlSeconds = 604_800;
/** How long the counter of a deadline outlives it, s; as llm-d-async v0.10's producer has it. */
const sequenceGraceSeconds = 3_600;

/**
 * Marks a request as cancelled while its submission is known; 1 = it is, 0 = there is nothing to cancel. KEYS: active, cancel.
 * It does what llm-d-async's `CancelRequests` does.
 */
const cancelLua = `
local token = redis.call("GET", KEYS[1])
if not token then return 0 end
redis.call("SET", KEYS[2], token, "EX", ARGV[1])
return 1`;

/**
 * Submits as llm-d-async v0.10 does: requests of one deadline keep their order by a fraction of a second. KEYS: sequence, cancel, active, queue.
 * ARGV: token, ms to the deadline, end of the counter, member before and after its number, deadline.
 */
const submitLua = `
local seq = redis.call("INCR", KEYS[1])
redis.call("EXPIREAT", KEYS[1], ARGV[3])
redis.call("DEL", KEYS[2])
redis.call("SET", KEYS[3], ARGV[1], "PX", ARGV[2])
local score = tonumber(ARGV[6]) + math.min(seq, 2097151) / 2097152
redis.call("ZADD", KEYS[4], string.format("%.17g", score), ARGV[4] .. seq .. ARGV[5])
return seq`;

/**
 * Says that an instance lives, and removes what instances have left that have said nothing for long. KEYS: instances. ARGV: own name, longest
 * silence in ms, start of the names of result lists. Answers the names of those that are gone.
 */
const upkeepLua = `
local time = redis.call("TIME")
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call("ZADD", KEYS[1], now, ARGV[1])
local gone = redis.call("ZRANGEBYSCORE", KEYS[1], "-inf", now - tonumber(ARGV[2]), "LIMIT", 0, 64)
for _, name in ipairs(gone) do
  local list = ARGV[3] .. "{" .. name .. "}"
  for _, each in ipairs(redis.call("ZRANGE", list .. ":lists", 0, 9999)) do redis.call("UNLINK", each) end
  redis.call("ZREMRANGEBYRANK", list .. ":lists", 0, 9999)
  if redis.call("EXISTS", list .. ":lists") == 0 then
    redis.call("UNLINK", list)
    redis.call("ZREM", KEYS[1], name)
  end
end
return gone`;

interface Scripted {
  pointsmanCancel(active: string, cancel: string, ttlSeconds: number): Promise<number>;
  pointsmanSubmit(...args: readonly (string | number | Buffer)[]): Promise<number>;
  pointsmanUpkeep(instances: string, name: string, silentMs: number, prefix: string): Promise<readonly string[]>;
}

/** Makes the scripts known to a client, which sends them by their digest. */
export function defineScripts(client: Redis): void {
  client.defineCommand("pointsmanCancel", { numberOfKeys: 2, lua: cancelLua });
  client.defineCommand("pointsmanSubmit", { numberOfKeys: 4, lua: submitLua });
  client.defineCommand("pointsmanUpkeep", { numberOfKeys: 1, lua: upkeepLua });
}

export function activeKey(id: string): string {
  return `request-active:${id}`;
}

export function cancelKey(id: string): string {
  return `request-cancel:${id}`;
}

/** @returns whether there was something to cancel */
export async function cancelRequest(client: Redis, id: string): Promise<boolean> {
  const marked = await scripted(client).pointsmanCancel(activeKey(id), cancelKey(id), cancelTtlSeconds);
  return Number(marked) === 1;
}

/** What `submitSequenced` writes. */
export interface SequencedSubmission {
  readonly id: string;
  readonly token: string;
  readonly queue: string;
  readonly deadline: number;
  readonly activeMs: number;
  readonly parts: readonly [head: Buffer, tail: Buffer];
}

/** @returns the sequence number within the deadline's second */
export async function submitSequenced(client: Redis, submission: SequencedSubmission): Promise<number> {
  const { id, token, queue, deadline, activeMs, parts } = submission;
  const keys = [`request-seq:${queue}:${deadline}`, cancelKey(id), activeKey(id), queue];
  const [head, tail] = parts;
  return Number(
    await scripted(client).pointsmanSubmit(
      ...keys,
      token,
      activeMs,
      deadline + sequenceGraceSeconds,
      head,
      tail,
      deadline,
    ),
  );
}

/** Says that `name` lives. @returns the instances whose lists were removed */
export function keepUp(
  client: Redis,
  instances: string,
  name: string,
  silentMs: number,
  prefix: string,
): Promise<readonly string[]> {
  return scripted(client).pointsmanUpkeep(instances, name, silentMs, prefix);
}

function scripted(client: Redis): Scripted {
  return client as unknown as Scripted;
}
