import { type Entry, reportDuplicates } from "./duplicates.ts";
import type { Report } from "./report.ts";
import type { Config, ModelSettings } from "./schema.ts";

/** The checks of models that need more than one setting. */
export function checkModels(models: readonly ModelSettings[], report: Report): void {
  for (const [i, { folder, hubId, loadOnly }] of models.entries()) {
    if (folder === undefined && hubId === undefined && !loadOnly)
      report(["models", i, "folder"], "this or hubId is needed unless loadOnly is true", folder);
    if (folder !== undefined && hubId !== undefined)
      report(["models", i, "hubId"], "has no meaning beside a folder", hubId);
  }
  const names = models.flatMap(({ name, aliases, adapters }, i): Entry[] => [
    { path: ["models", i, "name"], value: name },
    ...aliases.map((alias, j) => ({ path: ["models", i, "aliases", j], value: alias })),
    ...adapters.map((adapter, j) => ({ path: ["models", i, "adapters", j], value: adapter })),
  ]);
  reportDuplicates(names, "another model has this name", report);
}

/** Either all targets of a rule have a weight, or none has. */
export function checkRewrites({ modelRewrites }: Config, report: Report): void {
  for (const [i, { targets }] of modelRewrites.entries()) {
    const at = targets.findIndex(({ weight }) => (weight === undefined) !== (targets[0]?.weight === undefined));
    if (at >= 0)
      report(["modelRewrites", i, "targets", at, "weight"], "all targets have a weight, or none has", undefined);
  }
}
