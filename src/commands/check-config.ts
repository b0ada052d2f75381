import type { Writable } from "node:stream";
import { type Config, renderConfig } from "../config/index.ts";
import { configuredWorkers } from "./worker-entries.ts";

/** Prints the settings with their defaults, after the checks that need more than the schema. @throws RangeError */
export function checkConfig(config: Config, output: Writable): void {
  configuredWorkers(config);
  output.write(renderConfig(config));
}
