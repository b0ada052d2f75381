import { type Command, Option } from "commander";
import type { Config, ConfigFlags, FlagSetting } from "../../config/index.ts";
import { consoleSetting } from "../console-flag.ts";
import { pickerFlags } from "../picker-flags.ts";
import { argument } from "./flag-values.ts";

/** Flags of every command that reads settings. */
export interface ConfigOptions {
  readonly config?: string;
  readonly set: readonly string[];
  readonly aliases?: readonly FlagSetting[];
  readonly listen?: string;
  readonly logLevel?: string;
  readonly shards?: string;
  /** True = where it is by default. */
  readonly console?: string | true;
}

/** Adds the flags that say where settings come from, and the settings that have a flag of their own. */
export function withConfigOptions(command: Command): Command {
  return command
    .option("--config <file>", "settings, a YAML file")
    .option("--set <path=value>", "one setting, as extProc.tls.mode=off; repeatable", collect, [])
    .option("--listen <host:port>", "the setting extProc.listen")
    .option("--log-level <level>", "the setting log.level")
    .option("--shards <count>", "the setting shards.count")
    .option("--console [host:port]", "the setting admin.listen, 127.0.0.1:9099 by itself; a port alone is on loopback");
}

/** Adds the flags that llm-d's charts pass; what they stand for is gathered in the option `aliases`. */
export function withPickerFlags(command: Command): Command {
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

/** Gathers the values of a repeatable flag. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Reads the settings. Rejects with ConfigError. */
export async function configOf(options: ConfigOptions, { env }: Pick<NodeJS.Process, "env">): Promise<Config> {
  const { loadConfig } = await import("../../config/index.ts");
  return loadConfig({ file: options.config ?? env["POINTSMAN_CONFIG"], env, flags: flagsOf(options) });
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
