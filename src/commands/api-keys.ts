import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import {
  type ApiKeySettings,
  type Config,
  ConfigError,
  parseApiKeys,
  type QueueApiKeySettings,
} from "../config/index.ts";
import { watchContent } from "../http/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** What is set of a front's keys. */
type KeySettings = Pick<Config["proxy"], "apiKeyFile" | "apiKeyHashes" | "apiKeyReloadIntervalMs"> & {
  readonly apiKeys: readonly AnyApiKey[];
};

/** The sections that have keys. */
export type KeySection = "proxy" | "queue";

/** An entry of either section; only the queue's has traits. */
export type AnyApiKey = ApiKeySettings & Partial<QueueApiKeySettings>;

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
  section: KeySection,
  first: readonly AnyApiKey[],
  onChange: (keys: readonly AnyApiKey[]) => void,
  log: Pick<Logger, "info" | "error">,
): () => void {
  const { apiKeyFile, apiKeyReloadIntervalMs } = settings;
  if (apiKeyFile === undefined) return () => undefined;
  return watchContent(first, {
    read: () => apiKeysOf(settings, section),
    isSame: isDeepStrictEqual,
    intervalMs: apiKeyReloadIntervalMs,
    after: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs).unref();
      return () => clearTimeout(timer);
    },
    onChange: (keys) => {
      onChange(keys);
      log.info({ apiKeyFile, keys: keys.length }, `${section}: new keys`);
    },
    onFailure: (err) => log.error({ err, apiKeyFile }, `${section}: cannot reload the keys, keeping the old ones`),
  });
}

/** Who may call, wherever it is set. Rejects with ConfigError. */
export async function apiKeysOf(settings: KeySettings, section: KeySection): Promise<readonly AnyApiKey[]> {
  const { apiKeys, apiKeyFile, apiKeyHashes } = settings;
  const fromFile =
    apiKeyFile === undefined ? [] : parseApiKeys(await readKeyFile(apiKeyFile, section), apiKeyFile, section);
  const hashes = apiKeyHashes?.split(",") ?? [];
  const plain = hashes.map((sha256, i) => ({
    name: `apiKeyHashes[${i}]`,
    sha256,
    requestsPerMinute: 0,
    maxConcurrent: 0,
  }));
  return [...apiKeys, ...fromFile, ...plain];
}

async function readKeyFile(file: string, section: KeySection): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new ConfigError([`${section}.apiKeyFile: ${file} cannot be read`], { cause });
  }
}
