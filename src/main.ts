#!/usr/bin/env node
import "./require-node.ts";
import "./v8-settings.ts";
import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { Command, Option } from "commander";
import {
  checkConfig,
  consoleSetting,
  explainCases,
  explainRequest,
  ProgressBar,
  parentPort,
  pickerFlags,
  type ReplayOptions,
  replay,
  runSimWorker,
  ShardSide,
  serve,
  serveShards,
  shardConfig,
  shardSpawner,
  type TopOptions,
  type TraceInput,
  tokenVariable,
  top,
} from "./commands/index.ts";
import { type Config, ConfigError, type ConfigFlags, type FlagSetting, loadConfig } from "./config/index.ts";
import { argument, intervalSeconds, milliseconds, positiveNumber, wholeNumber } from "./flag-values.ts";
import { simWorkerFlags } from "./sim-worker/index.ts";
import { createLogger } from "./telemetry/index.ts";
import { version } from "./version.ts";

interface ConfigOptions {
  readonly config?: string;
  readonly set: readonly string[];
  readonly aliases?: readonly FlagSetting[];
  readonly listen?: string;
  readonly logLevel?: string;
  readonly shards?: string;
  /** True = where it is by default. */
  readonly console?: string | true;
}

interface ServeOptions extends ConfigOptions {
  /** Number of the shard that this process is; absent = it is none, or keeps all of them. */
  readonly shard?: number;
}

interface ExplainOptions extends ConfigOptions {
  readonly path: string;
  readonly cases?: string;
  readonly modelDir?: string;
  readonly model: string;
  readonly profile: "dynamo" | "vllm" | "sglang";
  readonly tokenizerView?: "raw" | "transformers5" | "sglang";
  readonly reasoningParser?: string;
  readonly engineVersion?: string;
  readonly waitMs: number;
}

/** Aborted by SIGTERM or SIGINT; a second one ends the process at once. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const name of ["SIGTERM", "SIGINT"] as const) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(1);
      stop.abort();
    });
  }
  return stop.signal;
}

function flagsOf({ set, shards, console, aliases, listen, logLevel }: ConfigOptions): ConfigFlags {
  const own = [
    ...(shards === undefined ? [] : [{ flag: "--shards", path: "shards.count", text: shards }]),
    ...(console === undefined ? [] : [consoleSetting(console)]),
  ];
  return {
    set,
    aliases: [...(aliases ?? []), ...own],
    ...(listen === undefined ? {} : { listen }),
    ...(logLevel === undefined ? {} : { logLevel }),
  };
}

function configOf(options: ConfigOptions) {
  return loadConfig({
    file: options.config ?? process.env["POINTSMAN_CONFIG"],
    env: process.env,
    flags: flagsOf(options),
  });
}

function withConfigOptions(command: Command): Command {
  return command
    .option("--config <file>", "settings, a YAML file")
    .option("--set <path=value>", "one setting, as extProc.tls.mode=off; repeatable", collect, [])
    .option("--listen <host:port>", "the setting extProc.listen")
    .option("--log-level <level>", "the setting log.level")
    .option("--shards <count>", "the setting shards.count")
    .option("--console [host:port]", "the setting admin.listen, 127.0.0.1:9099 by itself; a port alone is on loopback");
}

/** Adds the flags that llm-d's charts pass; what they stand for is gathered in the option `aliases`. */
function withPickerFlags(command: Command): Command {
  const aliases: FlagSetting[] = [];
  command.setOptionValue("aliases", aliases);
  for (const { flags, description, settings } of pickerFlags) {
    const option = new Option(flags, description);
    const flag = option.long ?? flags;
    option.argParser((text) => {
      for (const setting of argument(settings, text)) aliases.push({ flag, ...setting });
      return text;
    });
    command.addOption(option.preset("true").helpGroup("As llm-d's endpoint picker has them:"));
  }
  return command;
}

function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

async function serveCommand(options: ServeOptions): Promise<void> {
  const config = configOf(options);
  const { level } = config.log;
  if (options.shard !== undefined) return serveShard(shardConfig(config, options.shard), options.shard);
  const log = createLogger({ level });
  if (config.shards.count === 1) await serve(config, log, stopSignal());
  else await serveShards(config, log, stopSignal(), shardSpawner(process.argv[1] ?? "", process.argv.slice(2)));
}

/** One of several processes of a picker. */
async function serveShard(config: Config, shard: number): Promise<void> {
  // A terminal tells all processes of a group; when to stop is the parent's to say.
  process.on("SIGINT", () => undefined);
  const side = new ShardSide(parentPort(process));
  process.once("SIGTERM", () => side.end());
  try {
    await serve(config, createLogger({ level: config.log.level, fields: { shard } }), side.stop, side);
  } finally {
    if (process.connected) process.disconnect();
  }
}

async function explainCommand(bodyFile: string | undefined, options: ExplainOptions): Promise<void> {
  if (options.cases !== undefined) {
    if (options.modelDir === undefined)
      throw new ConfigError(["--cases needs --model-dir; --config is for a single body"]);
    const input = options.cases === "-" ? process.stdin : createReadStream(options.cases);
    await explainCases({ ...options, modelDir: options.modelDir }, input, process.stdout);
    return;
  }
  if (bodyFile === undefined) throw new ConfigError(["a body file is needed, or --cases"]);
  if (options.config === undefined && process.env["POINTSMAN_CONFIG"] === undefined && options.set.length === 0) {
    throw new ConfigError(["a body is explained with --config; --model-dir is for --cases"]);
  }
  const body = bodyFile === "-" ? await buffer(process.stdin) : await readFile(bodyFile);
  const { path, waitMs } = options;
  process.exitCode = await explainRequest(configOf(options), { path, body, waitMs }, process.stdout);
}

async function replayCommand(trace: string, options: ConfigOptions & ReplayOptions): Promise<void> {
  await replay(await traceInput(trace), configOf(options), options, process.stdout, new ProgressBar(process.stderr));
}

async function traceInput(trace: string): Promise<TraceInput> {
  if (trace === "-") return { name: "standard input", bytes: process.stdin, sizeBytes: undefined };
  // Looked at first: a stream of a file that is not there would fail on its own.
  const stats = await stat(trace);
  if (stats.isDirectory()) throw new ConfigError([`${trace} is a directory: a trace is a file`]);
  return { name: trace, bytes: createReadStream(trace), sizeBytes: stats.isFile() ? stats.size : undefined };
}

function replayOptions(command: Command): Command {
  const whole = (flags: string, description: string, preset: number): Option =>
    new Option(flags, description).argParser((text) => argument(wholeNumber, text)).default(preset);
  const positive = (flags: string, description: string, preset: number): Option =>
    new Option(flags, description).argParser((text) => argument(positiveNumber, text)).default(preset);
  return command
    .argument("<trace>", "file of JSON lines in Mooncake's format, - for standard input")
    .addOption(whole("--workers <count>", "workers of the fleet", 8))
    .addOption(
      new Option(
        "--block-size <tokens>",
        "tokens in a block of the trace (default: the setting recorder.blockTokens, which is 512)",
      ).argParser((text) => argument(wholeNumber, text)),
    )
    .addOption(whole("--limit <requests>", "requests that are read at most", 1_000_000))
    .addOption(positive("--speed <factor>", "2 = requests come twice as fast as they came", 1))
    .addOption(whole("--seed <number>", "of what is left to chance", 1))
    .addOption(whole("--cache-tokens <tokens>", "what a worker's cache holds", 1_000_000))
    .addOption(positive("--prefill-us-per-token <us>", "time for a prompt token that is not cached", 50))
    .addOption(positive("--step-ms <ms>", "time of a step that only decodes", 8))
    .addOption(whole("--max-running <requests>", "requests that a worker runs at once; more wait", 256))
    .addOption(
      new Option(
        "--guess-ms <ms>",
        "the workers publish no KV events: what was sent to one counts as held for so long (default: they do publish them)",
      ).argParser((text) => argument(positiveNumber, text)),
    )
    .option("--policy <name=settings>", "another policy, as warm=routing.temperature=0.5; repeatable", collect, [])
    .option("--svg <file>", "write a drawing of the waiting times")
    .option("--json", "one JSON object a policy instead of a table", false);
}

function simWorkerCommand(): Command {
  const command = new Command("sim-worker")
    .description("run a simulated OpenAI-compatible worker with a prefix cache and KV events")
    .option("--model-dir <folder>", "model folder for exact tokens (default: tokens made up from the bytes)")
    .addOption(
      new Option(
        "--model-cache-bytes <bytes>",
        "memory for text met lately, with --model-dir (default: 268435456)",
      ).argParser((text) => argument(wholeNumber, text)),
    );
  for (const { flags, description, parse } of simWorkerFlags) {
    command.addOption(new Option(flags, description).argParser((text) => argument(parse, text)));
  }
  return command.action((options: object) => runSimWorker(options, createLogger(), stopSignal()));
}

function topCommand(): Command {
  return new Command("top")
    .description("show what a running picker does, live on a terminal, else as one snapshot")
    .option("--url <url>", "address of the picker's console, its setting admin.listen", "http://127.0.0.1:9099")
    .option("--token-file <file>", `file with the console's token (default: the variable ${tokenVariable})`)
    .addOption(
      new Option("--interval <seconds>", "between two looks, 0.1 to 3600")
        .argParser((text) => argument(intervalSeconds, text))
        .default(1),
    )
    .option("--once", "one snapshot in plain text; the exit code is 1 when there was none to be had", false)
    .option("--json", "one snapshot as JSON", false)
    .action(async (options: TopOptions) => {
      process.exitCode = await top(options, process);
    });
}

function program(): Command {
  const root = new Command("pointsman").description("KV-cache aware endpoint picker for LLM gateways").version(version);
  root.addCommand(
    withPickerFlags(withConfigOptions(new Command("serve")))
      .description("run the picker")
      .addOption(new Option("--shard <number>").hideHelp().argParser(Number))
      .action(serveCommand),
  );
  root.addCommand(
    withPickerFlags(withConfigOptions(new Command("check-config")))
      .description("check the settings and print them with their defaults")
      .action((options: ConfigOptions) => checkConfig(configOf(options), process.stdout)),
  );
  root.addCommand(
    withConfigOptions(new Command("explain"))
      .description("show the tokens of a request, the cost of every worker and the choice")
      .argument("[body]", "file with the request's body, - for standard input; needs --config")
      .option("--path <path>", "request path", "/v1/chat/completions")
      .option("--wait-ms <ms>", "how long to gather the workers' KV events before choosing", milliseconds, 1000)
      .option(
        "--cases <file>",
        'one case a line, {"name","path","body"}, - for standard input; needs --model-dir. Each is answered with a line: one that is no case with the code bad_case, which leaves the exit code 0',
      )
      .option("--model-dir <folder>", "model folder for --cases")
      .option("--model <name>", "model name for --cases", "model")
      .addOption(
        new Option("--profile <name>", "profile for --cases").choices(["dynamo", "vllm", "sglang"]).default("dynamo"),
      )
      .addOption(
        new Option(
          "--tokenizer-view <view>",
          "whose reading of the tokenizer's files counts for --cases (default: raw for dynamo, transformers5 for vllm, sglang for sglang)",
        ).choices(["raw", "transformers5", "sglang"]),
      )
      .option("--engine-version <release>", "the engine's, as 0.5.22, for --cases (default: the newest that is known)")
      .option(
        "--reasoning-parser <name>",
        "what SGLang's option of this name, or --dyn-reasoning-parser of a Dynamo frontend's workers is given, for --cases (default: none)",
      )
      .action(explainCommand),
  );
  root.addCommand(
    replayOptions(withConfigOptions(new Command("replay")))
      .description("play a trace on a simulated fleet, once for each policy, and compare what came of it")
      .action(replayCommand),
  );
  root.addCommand(topCommand());
  root.addCommand(simWorkerCommand());
  return root;
}

try {
  await program().parseAsync();
} catch (error) {
  process.stderr.write(`pointsman: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
