import type { Path, Report } from "./report.ts";

/** A value that only one place may have. */
export interface Entry {
  readonly path: Path;
  readonly value: string;
}

/** Tells of each place whose value an earlier one has. */
export function reportDuplicates(entries: readonly Entry[], message: string, report: Report): void {
  const seen = new Map<string, Path>();
  for (const { path, value } of entries) {
    if (seen.has(value)) report(path, message, value);
    else seen.set(value, path);
  }
}
