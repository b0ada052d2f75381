import type { Way } from "../load/outcome.ts";

/** What a loss has to do with: ways of requests that it excuses or that it must not hurt, and the workers and their pods. */
export type Part = Way | "workers";

/**
 * Losses as rounds in which all may happen at once: no two of a round have to do with the same part, so that each is judged as if it were alone. In the
 * order given, each in the first round that takes it.
 */
export function roundsOf<T extends { readonly touches: readonly Part[] }>(
  losses: readonly T[],
): readonly (readonly T[])[] {
  const rounds: T[][] = [];
  for (const loss of losses) {
    const round = rounds.find(
      (others) => !others.some(({ touches }) => touches.some((part) => loss.touches.includes(part))),
    );
    if (round === undefined) rounds.push([loss]);
    else round.push(loss);
  }
  return rounds;
}
