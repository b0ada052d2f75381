export type { Address } from "./address.ts";
export { parseAddress, shiftKvAddress } from "./address.ts";
export { ConfigError } from "./config-error.ts";
export type { ConfigSources } from "./load-config.ts";
export { loadConfig } from "./load-config.ts";
export { readModelFolder } from "./model-folder.ts";
export type { ConfigFlags } from "./overrides.ts";
export { renderReference } from "./reference-page.ts";
export type { Config, ModelSettings, WorkerSettings } from "./schema.ts";
