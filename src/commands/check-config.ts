import { access } from "node:fs/promises";
import type { Writable } from "node:stream";
import { type Config, ConfigError, readModelFolder, renderConfig } from "../config/index.ts";
import { configuredWorkers } from "./worker-entries.ts";

/**
 * Prints the settings with their defaults, after the checks that need more than the schema: workers, and the files that are named.
 * Rejects with RangeError or ConfigError.
 */
export async function checkConfig(config: Config, output: Writable): Promise<void> {
  configuredWorkers(config);
  for (const { folder, loadOnly } of config.models)
    if (folder !== undefined && !loadOnly) await readModelFolder(folder);
  const { mode, certFile, keyFile } = config.extProc.tls;
  if (mode === "files") await Promise.all([assertReadable(certFile), assertReadable(keyFile)]);
  output.write(renderConfig(config));
}

async function assertReadable(file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await access(file);
  } catch (cause) {
    throw new ConfigError([`extProc.tls: ${file} cannot be read`], { cause });
  }
}
