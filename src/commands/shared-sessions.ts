import { createHash } from "node:crypto";
import type { Config } from "../config/index.ts";

/** Whether replicas tell each other where sessions are served. */
export function isSharingSessions({ affinity, replicas, shards }: Config): boolean {
  const hasOthers = replicas.redis.url !== undefined || shards.count > 1;
  return hasOthers && replicas.redis.shareSessions && affinity.mode !== "off";
}

/** The key under which replicas know a session: nobody can read its id from it. */
export function sharedSessionKey(name: string): string {
  return createHash("sha256").update(name).digest("base64url").slice(0, 22);
}
