import { performance } from "node:perf_hooks";
import type { Config } from "../../config/index.ts";
import { startHealthServer } from "../../surface/ext-proc/index.ts";
import type { Logger, MetricsServer } from "../../telemetry/index.ts";
import { version } from "../../version.ts";
import { assertServable } from "../assert-servable.ts";
import { shardsConsoleOf } from "../console-module.ts";
import { healthListener } from "../ext-proc-options.ts";
import { startMetrics } from "../metrics-listener.ts";
import { modesOf } from "../modes.ts";
import type { ShardClock, SpawnedShard } from "./shard-process.ts";
import { ShardSupervisor } from "./shard-supervisor.ts";
import { assertPortsFree } from "./shared-ports.ts";

/** Beyond the longest drain, before a shard is ended hard, ms. */
const marginMs = 5_000;

const clock: ShardClock = {
  now: () => performance.now(),
  after: (delayMs, task) => {
    const timer = setTimeout(task, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Runs several pickers in processes of their own until `stop` aborts, then drains them. Rejects when one of them cannot start, with ListenError
 * when a port that they are to share is taken.
 * @param spawn starts the shard of a number
 */
export async function serveShards(
  config: Config,
  log: Logger,
  stop: AbortSignal,
  spawn: (index: number) => SpawnedShard,
): Promise<void> {
  assertServable(config);
  await assertPortsFree(config);
  const { shutdown, shards } = config;
  const failed = Promise.withResolvers<never>();
  const stopped = new Promise<void>((resolve) => {
    if (stop.aborted) resolve();
    stop.addEventListener("abort", () => resolve(), { once: true });
  });
  const health = await startHealthServer(
    modesOf(config).includes("ext-proc") ? healthListener(config.health.listen) : { healthPort: "off" },
  );
  let wasReady = false;
  const supervisor = new ShardSupervisor(spawn, shards, clock, {
    ready: (isReady) => {
      health.setReady(isReady);
      if (isReady && !wasReady)
        log.info({ shards: shards.count, health: health.address, version }, "the shards are ready");
      wasReady ||= isReady;
    },
    ended: (shard, how, againMs, wereAllReady) => {
      if (wereAllReady) log.error({ shard, how, againMs }, "a shard ended by itself, and is started again");
      else failed.reject(new Error(`shard ${shard} could not start: it ended with ${how}`));
    },
  });
  let metrics: MetricsServer | undefined;
  let console: { close(): Promise<void> } | undefined;
  try {
    metrics = await startMetrics(config, supervisor);
    console = await shardsConsoleOf(config, supervisor, log);
    supervisor.start();
    await Promise.race([stopped, failed.promise]);
    log.info({ drainTimeoutMs: shutdown.drainTimeoutMs }, "draining the shards");
  } finally {
    health.drain();
    await supervisor.stop(shutdown.readinessDelayMs + shutdown.drainTimeoutMs + marginMs);
    await console?.close();
    await metrics?.close();
    await health.close();
  }
  log.info({}, "stopped");
}
