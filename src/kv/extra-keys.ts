import { type BlockMmInfo, mediaHash } from "./block-hashes.ts";
import { blockHash, isMap, list } from "./wire-values.ts";

const saltPrefix = "dynamo-cache-salt:";
/** Dynamo's own mark of a media identity: 16 hexadecimal digits and 48 zeros. Other 64-digit keys are the engine's. */
const mediaMark = /^[0-9a-f]{16}0{48}$/i;

/** Cache namespace that a block's extra keys name by Dynamo's mark. */
export function cacheSaltOfExtraKeys(extraKeys: readonly unknown[] | undefined): string | undefined {
  for (const block of extraKeys ?? []) {
    for (const key of Array.isArray(block) ? block : []) {
      if (typeof key === "string" && key.startsWith(saltPrefix)) return key.slice(saltPrefix.length);
    }
  }
  return undefined;
}

/** Media of each block by Dynamo's mark in its extra keys: a string, or a pair of string and offset. */
export function mmInfosOfExtraKeys(
  extraKeys: readonly unknown[] | undefined,
): readonly (BlockMmInfo | undefined)[] | undefined {
  const infos = extraKeys?.map((block) => {
    const hashes = (Array.isArray(block) ? block : []).flatMap((key: unknown) => {
      const name: unknown = Array.isArray(key) ? key[0] : key;
      const hash = typeof name === "string" && mediaMark.test(name) ? mediaHash(name) : undefined;
      return hash === undefined ? [] : [hash.low, hash.high];
    });
    return hashes.length === 0 ? undefined : { hashes: Uint32Array.from(hashes) };
  });
  return infos?.some((info) => info !== undefined) ? infos : undefined;
}

/** Media of each block as Dynamo's senders list them: `{mm_objects: [{mm_hash}]}` or null. */
export function mmInfosOfObjects(
  blocks: readonly unknown[] | undefined,
): readonly (BlockMmInfo | undefined)[] | undefined {
  const infos = blocks?.map((block) => {
    if (!isMap(block)) return undefined;
    const hashes = list(block["mm_objects"]).flatMap((object) => {
      const hash = blockHash(isMap(object) ? object["mm_hash"] : undefined);
      return [hash.low, hash.high];
    });
    return hashes.length === 0 ? undefined : { hashes: Uint32Array.from(hashes) };
  });
  return infos?.some((info) => info !== undefined) ? infos : undefined;
}
