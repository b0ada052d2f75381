import { stringify } from "yaml";
import type { Config } from "./schema.ts";

/** The settings with their defaults, as YAML that `loadConfig` reads back, but for a key, which is not shown. */
export function renderConfig(config: Config): string {
  const { workerApiKey } = config.proxy;
  // Whoever is shown the settings need not know the key.
  const proxy = { ...config.proxy, ...(workerApiKey === undefined ? {} : { workerApiKey: "hidden" }) };
  return stringify({ ...config, proxy });
}
