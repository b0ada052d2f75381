import { Command } from "commander";
import { type ConfigOptions, configOf, withConfigOptions, withPickerFlags } from "./config-options.ts";
import type { Host } from "./host.ts";

/** `pointsman check-config`. */
export function checkConfigCommand({ process }: Host): Command {
  return withPickerFlags(withConfigOptions(new Command("check-config")))
    .description("check the settings and print them with their defaults")
    .action(async (options: ConfigOptions) => {
      const config = await configOf(options, process);
      const { checkConfig } = await import("../check-config.ts");
      await checkConfig(config, process.stdout);
    });
}
