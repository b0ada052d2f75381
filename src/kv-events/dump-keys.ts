import type { Buffer } from "node:buffer";

/** Keys that are looked for: most of a dump's text is the last three of them. */
const knownKeys = [
  "block_size",
  "events",
  "streams",
  "worker_id",
  "dp_rank",
  "sequence",
  "content",
  "complete",
  "storage_tier",
  "residency_domain",
  "event",
  "data",
  "stored",
  "removed",
  "parent_hash",
  "blocks",
  "block_hashes",
  "cache_salt",
  "block_hash",
  "tokens_hash",
  "mm_extra_info",
];
const keysByLength: readonly (readonly string[])[] = Array.from({ length: 17 }, (_, length) =>
  knownKeys.filter((key) => key.length === length),
);

/** The key that these bytes are, without making a text of them; undefined when it is none of a dump's. */
export function knownKey(bytes: Buffer): string | undefined {
  for (const key of keysByLength[bytes.length] ?? []) {
    let at = 0;
    while (at < bytes.length && bytes[at] === key.charCodeAt(at)) at++;
    if (at === bytes.length) return key;
  }
  return undefined;
}
