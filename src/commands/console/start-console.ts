import { performance } from "node:perf_hooks";
import type { Config } from "../../config/index.ts";
import { TurnBudget } from "../../kv-events/index.ts";
import { type ConsoleSource, History } from "../../surface/admin/index.ts";
import type { Logger, Metrics } from "../../telemetry/index.ts";
import type { ShardSide } from "../shards/shard-side.ts";
import { CoreSource, type ShownPicker } from "./core-source.ts";
import { everyMultiple } from "./history-timer.ts";
import { listenForConsole, type RunningConsole, turnMs } from "./listener.ts";
import { shardAnswer } from "./shard-answers.ts";
import { type AskedShards, ShardsSource } from "./shards-source.ts";

/** The console of a picker, or a shard's part of it. */
export interface StartedConsole {
  /** Undefined in a shard: its parent listens for all of them. */
  readonly address: string | undefined;
  close(): Promise<void>;
}

type CountingMetrics = Pick<Metrics, "sampleConsole">;

const time = { wall: () => Date.now(), now: () => performance.now() };

/**
 * Begins to keep the history, and listens for browsers, or for the parent's questions. Rejects with ListenError when the address cannot be
 * had.
 */
export async function startConsole(
  shown: ShownPicker & { readonly metrics: CountingMetrics },
  log: Logger,
  shard: ShardSide | undefined,
): Promise<StartedConsole> {
  const { admin } = shown.config;
  const source = new CoreSource(shown, new History(admin), time, Math.round(performance.timeOrigin));
  source.addPoint();
  const stop = everyMultiple(admin.historyIntervalMs, () => source.addPoint(), time.wall);
  if (shard !== undefined) {
    const turns = new TurnBudget(time, turnMs);
    shard.serveConsole((question) => shardAnswer(source, question, log, turns));
    return { address: undefined, close: async () => stop() };
  }
  const listener = await listen(shown.config, source, shown.metrics, log).catch((error: unknown) => {
    stop();
    throw error;
  });
  return {
    address: listener.address,
    close: async () => {
      stop();
      await listener.close();
    },
  };
}

/** The console of several shards together. Rejects with ListenError when the address cannot be had. */
export function startShardsConsole(
  config: Config,
  shards: AskedShards & CountingMetrics,
  log: Logger,
): Promise<RunningConsole> {
  const source = new ShardsSource(config, shards, time.wall, Math.round(performance.timeOrigin));
  return listen(config, source, shards, log);
}

async function listen(
  config: Config,
  source: ConsoleSource,
  metrics: CountingMetrics,
  log: Logger,
): Promise<RunningConsole> {
  let listener: RunningConsole | undefined;
  const telemetry = metrics.sampleConsole(() => listener?.readers ?? 0);
  listener = await listenForConsole(config, source, telemetry, log);
  return listener;
}
