import { randomBytes, randomUUID } from "node:crypto";
import { Redis } from "ioredis";

/** One way to send a request to the queue and wait for what comes of it. */
export interface Way {
  /** Resolves with the payload of the result. */
  ask(payload: Buffer): Promise<string>;
  close(): Promise<void>;
}

/** What anybody would write first: a list for each request, and a connection for each that waits, used again and again. */
export function naiveWay(url: string): Way {
  const idle: Redis[] = [];
  const all: Redis[] = [];
  const connect = () => {
    const redis = new Redis(url);
    all.push(redis);
    return redis;
  };
  return {
    async ask(payload) {
      const redis = idle.pop() ?? connect();
      const [id, token] = [randomUUID(), randomBytes(16).toString("hex")];
      const list = `resp:${id}`;
      const nowS = Math.floor(Date.now() / 1_000);
      const deadline = nowS + 60;
      const internal = { request_token: token, request_queue_name: "bench", result_queue_name: list };
      const data = { id, created: nowS, deadline, payload: 0, endpoint: "/v1/chat/completions" };
      const member = JSON.stringify({ internal, request_kind: "redis", data });
      const whole = member.replace('"payload":0', () => `"payload":${payload}`);
      await redis
        .multi()
        .del(`request-cancel:${id}`)
        .set(`request-active:${id}`, token, "PX", 60_000)
        .zadd("bench", deadline, whole)
        .exec();
      const reply = await redis.brpop(list, 60);
      idle.push(redis);
      return reply === null ? "" : String(JSON.parse(reply[1]).payload);
    },
    async close() {
      for (const redis of all) redis.disconnect();
    },
  };
}
