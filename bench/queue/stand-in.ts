/**
 * What answers the queue's requests in the bench: a processor and its gateway in one, as cheap as it gets. Each request takes so many ms, any number
 * at once. `stand-in.ts URL SERVICE_MS`
 */
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";

const [, , url = "", serviceMs = "200"] = process.argv;
const redis = new Redis(url);
const batch = 500;
const idleMs = 2;
const payload = JSON.stringify({ id: "chatcmpl-1", choices: [{ message: { content: "word ".repeat(250) } }] });

function answer(members: readonly string[]): void {
  const results = redis.pipeline();
  for (const member of members) {
    const { internal, data } = JSON.parse(member);
    results.lpush(internal.result_queue_name, JSON.stringify({ id: data.id, status_code: 200, payload }));
    results.del(`request-active:${data.id}`);
  }
  results.exec().catch(() => undefined);
}

console.log("ready");
for (;;) {
  const popped = await redis.zpopmin("bench", batch);
  const members = popped.filter((_, i) => i % 2 === 0);
  if (members.length === 0) await delay(idleMs);
  else setTimeout(() => answer(members), Number(serviceMs));
}
