import { open, readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { Command, Option } from "commander";
import { type ConfigOptions, configOf, withConfigOptions } from "./config-options.ts";
import { milliseconds } from "./flag-values.ts";
import type { Host } from "./host.ts";

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

/** `pointsman explain`. */
export function explainCommand({ process }: Host): Command {
  return withCasesOptions(
    withConfigOptions(new Command("explain"))
      .description("show the tokens of a request, the cost of every worker and the choice")
      .argument("[body]", "file with the request's body, - for standard input; needs --config")
      .option("--path <path>", "request path", "/v1/chat/completions")
      .option("--wait-ms <ms>", "how long to gather the workers' KV events before choosing", milliseconds, 1000),
  ).action((bodyFile: string | undefined, options: ExplainOptions) =>
    options.cases === undefined
      ? explainBody(bodyFile, options, process)
      : explainFile(options.cases, options, process),
  );
}

function withCasesOptions(command: Command): Command {
  return command
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
    );
}

async function explainFile(cases: string, options: ExplainOptions, process: NodeJS.Process): Promise<void> {
  const { modelDir } = options;
  if (modelDir === undefined) throw await misuse("--cases needs --model-dir; --config is for a single body");
  const { explainCases } = await import("../cases.ts");
  // Opened first: a stream of a file that is not there would fail on its own, while the model is read.
  const input = cases === "-" ? process.stdin : (await open(cases)).createReadStream();
  await explainCases({ ...options, modelDir }, input, process.stdout);
}

async function explainBody(
  bodyFile: string | undefined,
  options: ExplainOptions,
  process: NodeJS.Process,
): Promise<void> {
  if (bodyFile === undefined) throw await misuse("a body file is needed, or --cases");
  if (options.config === undefined && process.env["POINTSMAN_CONFIG"] === undefined && options.set.length === 0) {
    throw await misuse("a body is explained with --config; --model-dir is for --cases");
  }
  const body = bodyFile === "-" ? await buffer(process.stdin) : await readFile(bodyFile);
  const config = await configOf(options, process);
  const { explainRequest } = await import("../explain-request.ts");
  const { path, waitMs } = options;
  process.exitCode = await explainRequest(config, { path, body, waitMs }, process.stdout);
}

async function misuse(problem: string): Promise<Error> {
  const { ConfigError } = await import("../../config/index.ts");
  return new ConfigError([problem]);
}
