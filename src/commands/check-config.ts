import { access } from "node:fs/promises";
import type { Writable } from "node:stream";
import { type Config, ConfigError, readModelFolder, renderConfig } from "../config/index.ts";
import { modelFolderOf } from "./model-folder.ts";
import { hasFiles } from "./served-models.ts";
import { configuredWorkers } from "./worker-entries.ts";

/**
 * Prints the settings with their defaults, after the checks that need more than the schema: workers, and the files that are named.
 * Rejects with RangeError or ConfigError.
 */
export async function checkConfig(config: Config, output: Writable): Promise<void> {
  configuredWorkers(config);
  for (const model of config.models)
    if (hasFiles(model)) await readModelFolder((await modelFolderOf(model, config.hub)).folder);
  const { extProc, routeApi } = config;
  for (const [path, { mode, certFile, keyFile }] of [
    ["extProc.tls", extProc.tls] as const,
    ["routeApi.tls", routeApi.tls] as const,
  ]) {
    if (mode === "files") await Promise.all([assertReadable(path, certFile), assertReadable(path, keyFile)]);
  }
  await assertReadable("routeApi.tokenFile", routeApi.tokenFile);
  output.write(renderConfig(config));
}

async function assertReadable(path: string, file: string | undefined): Promise<void> {
  if (file === undefined) return;
  try {
    await access(file);
  } catch (cause) {
    throw new ConfigError([`${path}: ${file} cannot be read`], { cause });
  }
}
