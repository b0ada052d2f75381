import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { type ApiKeySettings, type Config, ConfigError, parseApiKeys } from "../config/index.ts";
import { watchContent } from "../http/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** What is set of the proxy's keys. */
export type KeySettings = Pick<Config["proxy"], "apiKeys" | "apiKeyFile" | "apiKeyHashes" | "apiKeyReloadIntervalMs">;

/** Whether callers need a key. A file asks for one even while it names nobody: then nobody may call. */
export function areKeysNeeded({ apiKeys, apiKeyFile, apiKeyHashes }: KeySettings): boolean {
  return apiKeys.length > 0 || apiKeyFile !== undefined || apiKeyHashes !== undefined;
}

/**
 * Looks for other keys in the key file again and again. A file that cannot be used is logged, and the keys before stay.
 * @param first what it held at the start
 * @returns stops looking
 */
export function watchApiKeys(
  settings: KeySettings,
  first: readonly ApiKeySettings[],
  onChange: (keys: readonly ApiKeySettings[]) => void,
  log: Pick<Logger, "info" | "error">,
): () => void {
  const { apiKeyFile, apiKeyReloadIntervalMs } = settings;
  if (apiKeyFile === undefined) return () => undefined;
  return watchContent(first, {
    read: () => apiKeysOf(settings),
    isSame: isDeepStrictEqual,
    intervalMs: apiKeyReloadIntervalMs,
    after: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs).unref();
      return () => clearTimeout(timer);
    },
    onChange: (keys) => {
      onChange(keys);
      log.info({ apiKeyFile, keys: keys.length }, "proxy: new keys");
    },
    onFailure: (err) => log.error({ err, apiKeyFile }, "proxy: cannot reload the keys, keeping the old ones"),
  });
}

/** Who may call the proxy, wherever it is set. Rejects with ConfigError. */
export async function apiKeysOf(settings: KeySettings): Promise<readonly ApiKeySettings[]> {
  const { apiKeys, apiKeyFile, apiKeyHashes } = settings;
  const fromFile = apiKeyFile === undefined ? [] : parseApiKeys(await readKeyFile(apiKeyFile), apiKeyFile);
  const hashes = apiKeyHashes?.split(",") ?? [];
  const plain = hashes.map((sha256, i) => ({
    name: `apiKeyHashes[${i}]`,
    sha256,
    requestsPerMinute: 0,
    maxConcurrent: 0,
  }));
  return [...apiKeys, ...fromFile, ...plain];
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new ConfigError([`proxy.apiKeyFile: ${file} cannot be read`], { cause });
  }
}
