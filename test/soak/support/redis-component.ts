import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { Redis } from "ioredis";
import { serverBinary } from "../../e2e/support/envoy-binary.ts";
import type { RedisKind } from "../../e2e/support/redis-server.ts";
import { Component } from "./component.ts";

/** A real server that keeps its data over a kill. */
export function redisComponent(kind: RedisKind, port: number, folder: string): Component {
  const own = join(folder, kind);
  mkdirSync(own);
  const keeping = [
    "--save",
    "",
    "--appendonly",
    "yes",
    "--appendfsync",
    "always",
    "--auto-aof-rewrite-min-size",
    "8mb",
  ];
  const args = ["--port", `${port}`, "--bind", "127.0.0.1", "--dir", own, ...keeping];
  return new Component({ name: kind, file: serverBinary(kind), args }, async () => {
    const redis = new Redis(port, "127.0.0.1", { lazyConnect: true, retryStrategy: () => null });
    redis.on("error", () => undefined);
    try {
      await redis.connect();
      return (await redis.ping()) === "PONG";
    } finally {
      redis.disconnect();
    }
  });
}
