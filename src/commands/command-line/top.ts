import { Command, Option } from "commander";
import { tokenVariable } from "../console-token.ts";
import type { TopOptions } from "../top.ts";
import { argument, intervalSeconds } from "./flag-values.ts";
import type { Host } from "./host.ts";

/** `pointsman top`. */
export function topCommand({ process }: Host): Command {
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
      const { top } = await import("../top.ts");
      process.exitCode = await top(options, process);
    });
}
