/** How far the start-up recovery of the prefix index from a peer is, or how it ended. */
export interface RecoveryState {
  readonly state: "idle" | "seeking" | "restoring" | "catching_up" | "recovered" | "cold";
  /** Whether all that is to be had is had. */
  readonly isCaughtUp: boolean;
  /** Whose index it is. */
  readonly peer: string | undefined;
  /** Blocks that were restored. */
  readonly blocks: number;
  /** Time that it took, or has taken by now, ms. */
  readonly tookMs: number;
}

/** As JSON. @param showsPeer whether the caller may see who the peer is */
export function recoveryText({ state, peer, blocks, tookMs }: RecoveryState, showsPeer: boolean): string {
  return JSON.stringify({
    state,
    ...(showsPeer && peer !== undefined ? { peer } : {}),
    blocks,
    took_ms: Math.round(tookMs),
  });
}
