import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { Command, Option } from "commander";
import type { ReplayOptions, TraceInput } from "../replay.ts";
import { type ConfigOptions, collect, configOf, withConfigOptions } from "./config-options.ts";
import { argument, positiveNumber, wholeNumber } from "./flag-values.ts";
import type { Host } from "./host.ts";

/** `pointsman replay`. */
export function replayCommand({ process }: Host): Command {
  return withReplayOptions(withConfigOptions(new Command("replay")))
    .description("play a trace on a simulated fleet, once for each policy, and compare what came of it")
    .action((trace: string, options: ConfigOptions & ReplayOptions) => run(trace, options, process));
}

function withReplayOptions(command: Command): Command {
  return command
    .argument("<trace>", "file of JSON lines in Mooncake's format, - for standard input")
    .addOption(whole("--workers <count>", "workers of the fleet").default(8))
    .addOption(
      whole(
        "--block-size <tokens>",
        "tokens in a block of the trace (default: the setting recorder.blockTokens, which is 512)",
      ),
    )
    .addOption(whole("--limit <requests>", "requests that are read at most").default(1_000_000))
    .addOption(positive("--speed <factor>", "2 = requests come twice as fast as they came").default(1))
    .addOption(whole("--seed <number>", "of what is left to chance").default(1))
    .addOption(whole("--cache-tokens <tokens>", "what a worker's cache holds").default(1_000_000))
    .addOption(positive("--prefill-us-per-token <us>", "time for a prompt token that is not cached").default(50))
    .addOption(positive("--step-ms <ms>", "time of a step that only decodes").default(8))
    .addOption(whole("--max-running <requests>", "requests that a worker runs at once; more wait").default(256))
    .addOption(
      positive(
        "--guess-ms <ms>",
        "the workers publish no KV events: what was sent to one counts as held for so long (default: they do publish them)",
      ),
    )
    .option("--policy <name=settings>", "another policy, as warm=routing.temperature=0.5; repeatable", collect, [])
    .option("--svg <file>", "write a drawing of the waiting times")
    .option("--json", "one JSON object a policy instead of a table", false);
}

function whole(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => argument(wholeNumber, text));
}

function positive(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text) => argument(positiveNumber, text));
}

async function run(trace: string, options: ConfigOptions & ReplayOptions, process: NodeJS.Process): Promise<void> {
  const input = await traceInput(trace, process);
  const config = await configOf(options, process);
  const { replay } = await import("../replay.ts");
  const { ProgressBar } = await import("../progress-bar.ts");
  await replay(input, config, options, process.stdout, new ProgressBar(process.stderr));
}

async function traceInput(trace: string, { stdin }: Pick<NodeJS.Process, "stdin">): Promise<TraceInput> {
  if (trace === "-") return { name: "standard input", bytes: stdin, sizeBytes: undefined };
  // Looked at first: a stream of a file that is not there would fail on its own.
  const stats = await stat(trace);
  if (!stats.isDirectory())
    return { name: trace, bytes: createReadStream(trace), sizeBytes: stats.isFile() ? stats.size : undefined };
  const { ConfigError } = await import("../../config/index.ts");
  throw new ConfigError([`${trace} is a directory: a trace is a file`]);
}
