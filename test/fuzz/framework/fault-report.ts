import type { Fault } from "./campaign.ts";

/** What a person needs of a fault: the case, what was wrong, and the command that shows it again. */
export function faultReport(target: string, { seed, path, shown, error }: Fault): string {
  const said = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [
    `fuzz ${target}: found with seed ${seed}`,
    `the smallest case: ${shown}`,
    said,
    `again: node_modules/.bin/node test/fuzz/run.ts --target ${target} --seed ${seed} --path ${path}`,
  ].join("\n");
}
