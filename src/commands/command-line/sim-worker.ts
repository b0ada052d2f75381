import { Command, Option } from "commander";
import { simWorkerFlags } from "../../sim-worker/index.ts";
import { argument, wholeNumber } from "./flag-values.ts";
import type { Host } from "./host.ts";

/** `pointsman sim-worker`. */
export function simWorkerCommand({ stopSignal }: Host): Command {
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
  return command.action(async (options: object) => {
    const { runSimWorker } = await import("../sim-worker.ts");
    const { createLogger } = await import("../../telemetry/index.ts");
    await runSimWorker(options, createLogger(), stopSignal());
  });
}
