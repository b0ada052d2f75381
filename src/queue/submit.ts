import type { Redis } from "ioredis";
import { memberParts } from "./member.ts";
import type { QueueWire } from "./queue-options.ts";
import { activeKey, cancelKey, submitSequenced } from "./scripts.ts";
import type { Submission } from "./submission.ts";

/** Writes a request into its queue. Rejects when Redis refuses any part of it, or does not answer. @param nowMs Unix time */
export async function submit(client: Redis, submission: Submission, wire: QueueWire, nowMs: number): Promise<void> {
  const { id, token, queue, deadline } = submission;
  const activeMs = Math.max(1, Math.round(deadline * 1_000 - nowMs));
  const parts = memberParts(submission, wire === "v0.10");
  if (wire === "v0.10") {
    await submitSequenced(client, { id, token, queue, deadline, activeMs, parts });
    return;
  }
  const replies = await client
    .multi()
    .del(cancelKey(id))
    .set(activeKey(id), token, "PX", activeMs)
    .zadd(queue, deadline, Buffer.concat(parts))
    .exec();
  if (replies === null) throw new Error("the transaction was not executed");
  for (const [error] of replies) if (error !== null) throw error;
}
