import { sumOf } from "../../e2e/support/metrics.ts";
import type { Stack } from "../stack.ts";

/**
 * Where the index of a picker is not what the workers hold, in words; empty when each picker's index of each model has as many blocks as all workers say that
 * they hold. To be asked when nothing is under way.
 */
export async function indexFaults(stack: Stack): Promise<readonly string[]> {
  const stats = await Promise.all([...stack.workers.values()].map((pod) => pod.stats()));
  const held = stats.reduce((sum, { cachedBlocks }) => sum + cachedBlocks, 0);
  const faults: string[] = [];
  for (const [name, { pickers }] of Object.entries(stack.pickers)) {
    const samples = await stack.metricsOf(name as keyof Stack["pickers"]);
    for (const model of stack.models) {
      const indexed = sumOf(samples, "pointsman_index_blocks", { model });
      if (indexed !== held * pickers)
        faults.push(`${name}: ${indexed} blocks of ${model}, workers hold ${held * pickers}`);
    }
  }
  return faults;
}
