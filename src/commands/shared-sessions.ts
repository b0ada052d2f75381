import { createHash } from "node:crypto";
import type { Config } from "../config/index.ts";

/** Whether replicas tell each other where sessions are served. */
export function isSharingSessions({ affinity, replicas }: Config): boolean {
  return replicas.redis.url !== undefined && replicas.redis.shareSessions && affinity.mode !== "off";
}

/** The key under which replicas know a session: nobody can read its id from it. */
export function sharedSessionKey(name: string): string {
  return createHash("sha256").update(name).digest("base64url").slice(0, 22);
}
