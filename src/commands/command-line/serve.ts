import { Command, Option } from "commander";
import type { Config } from "../../config/index.ts";
import { type ConfigOptions, configOf, withConfigOptions, withPickerFlags } from "./config-options.ts";
import type { Host } from "./host.ts";

interface ServeOptions extends ConfigOptions {
  /** Number of the shard that this process is; absent = it is none, or keeps all of them. */
  readonly shard?: number;
}

/** `pointsman serve`. */
export function serveCommand(host: Host): Command {
  return withPickerFlags(withConfigOptions(new Command("serve")))
    .description("run the picker")
    .addOption(new Option("--shard <number>").hideHelp().argParser(Number))
    .action((options: ServeOptions) => run(options, host));
}

async function run(options: ServeOptions, host: Host): Promise<void> {
  const config = await configOf(options, host.process);
  if (options.shard !== undefined) await runShard(config, options.shard, host);
  else if (config.shards.count === 1) await runPicker(config, host);
  else await runShards(config, host);
}

async function runPicker(config: Config, host: Host): Promise<void> {
  const { serve } = await import("../serve.ts");
  const { createLogger } = await import("../../telemetry/index.ts");
  await serve(config, createLogger({ level: config.log.level }), host.stopSignal());
}

/** The parent of the shards is no picker itself, and loads none. */
async function runShards(config: Config, { process, stopSignal }: Host): Promise<void> {
  const { serveShards } = await import("../shards/serve-shards.ts");
  const { shardSpawner } = await import("../shards/shard-channel.ts");
  const { createLogger } = await import("../../telemetry/index.ts");
  const spawn = shardSpawner(process.argv[1] ?? "", process.argv.slice(2));
  await serveShards(config, createLogger({ level: config.log.level }), stopSignal(), spawn);
}

/** One of several processes of a picker. */
async function runShard(config: Config, shard: number, { process }: Host): Promise<void> {
  // A terminal tells all processes of a group; when to stop is the parent's to say.
  process.on("SIGINT", () => undefined);
  const { ShardSide } = await import("../shards/shard-side.ts");
  const { parentPort } = await import("../shards/shard-channel.ts");
  const { shardConfig } = await import("../shards/shard-config.ts");
  const side = new ShardSide(parentPort(process));
  process.once("SIGTERM", () => side.end());
  try {
    const { serve } = await import("../serve.ts");
    const { createLogger } = await import("../../telemetry/index.ts");
    const log = createLogger({ level: config.log.level, fields: { shard } });
    await serve(shardConfig(config, shard), log, side.stop, side);
  } finally {
    if (process.connected) process.disconnect();
  }
}
