const saltPrefix = "dynamo-cache-salt:";

/**
 * Cache namespace that the first block's extra keys name by Dynamo's mark. A key that is the adapter's name is that, once
 * (dynamo@1.6.1 `extra_keys_to_cache_namespace`).
 */
export function cacheSaltOfExtraKeys(keys: readonly string[], loraName: string | undefined): string | undefined {
  const adapter = loraName === undefined || loraName === "" ? -1 : keys.indexOf(loraName);
  return keys
    .find((key, i) => i !== adapter && key.startsWith(saltPrefix) && key.length > saltPrefix.length)
    ?.slice(saltPrefix.length);
}
