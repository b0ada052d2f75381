import { readFile } from "node:fs/promises";
import { type ApiKeySettings, type Config, ConfigError, parseApiKeys } from "../config/index.ts";

/** Who may call the proxy, wherever it is set. Rejects with ConfigError. */
export async function apiKeysOf({ proxy }: Pick<Config, "proxy">): Promise<readonly ApiKeySettings[]> {
  const { apiKeys, apiKeyFile, apiKeyHashes } = proxy;
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
