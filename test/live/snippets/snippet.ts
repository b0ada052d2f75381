import { Chance, derivedSeed } from "../parity/bodies/chance.ts";
import { Statements } from "./statements.ts";
import type { Vocabulary } from "./vocabulary.ts";

/** The `index`th snippet of a seed: a small template, mostly of what makes sense. */
export function composeSnippet(seed: number, index: number, vocabulary: Vocabulary): string {
  const chance = new Chance(derivedSeed(seed, index));
  return new Statements(chance, vocabulary).body(chance.pick([0, 0, 1, 1, 2]));
}
