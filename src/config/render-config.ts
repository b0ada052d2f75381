import { stringify } from "yaml";
import type { Config } from "./schema.ts";

/** The settings with their defaults, as YAML that `loadConfig` reads back. */
export function renderConfig(config: Config): string {
  return stringify(config);
}
