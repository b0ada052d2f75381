import { createHash } from "node:crypto";

/** A random body, and what the engines' servers made of it. */
export interface RecordedBody {
  readonly path: string;
  readonly raw: string;
  /** By `engine model`: digest of the tokens of every prompt; null when the engine refuses the request. */
  readonly tokens: Readonly<Record<string, string | null>>;
}

/** @param ids of one prompt, or of each of several */
export function tokensDigest(ids: readonly number[] | readonly (readonly number[])[] | null): string | null {
  if (ids === null) return null;
  const prompts = typeof ids[0] === "object" ? ids : [ids];
  return createHash("sha256").update(JSON.stringify(prompts)).digest("hex").slice(0, 12);
}
