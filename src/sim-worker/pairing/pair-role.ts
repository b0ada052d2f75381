/** What a worker does of a split request, and by whose wire. `none`: it serves whole requests. */
export const pairRoles = ["none", "sglang-prefill", "sglang-decode", "nixl-prefill", "nixl-decode"] as const;
export type PairRole = (typeof pairRoles)[number];
