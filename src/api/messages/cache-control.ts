import { optional, required, struct, text } from "../fields/index.ts";

/** A hint about the prompt cache, of any type; it does not change the prompt. */
export const cacheControl = struct({ type: required(text), ttl: optional(text) }, { positional: true });
