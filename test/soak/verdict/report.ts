import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { figureOf } from "../samples.ts";
import type { SoakRecord } from "../soak.ts";
import type { Growth } from "./growth.ts";
import { type Plot, plotsSvg } from "./plot.ts";
import type { Verdict } from "./verdict.ts";

const MiB = 1_048_576;

/** Writes all samples as JSON and the plots as SVG. Returns the files. */
export async function writeReport(folder: string, record: SoakRecord, verdict: Verdict): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const files = [join(folder, "soak.json"), join(folder, "soak.svg")] as const;
  await writeFile(files[0], JSON.stringify({ verdict, ...record }, undefined, 1));
  await writeFile(files[1], plotsSvg(plotsOf(record), "minutes", record.minutes / 3));
  return files;
}

function plotsOf(record: SoakRecord): readonly Plot[] {
  const plot = (title: string, figure: string): Plot => ({
    title,
    unit: "MiB",
    lines: Object.keys(record.samples.at(-1)?.processes ?? {}).flatMap((name) => {
      const points = record.samples.flatMap(({ atS, processes }) => {
        const sample = processes[name];
        const value = sample && figureOf(sample, figure);
        return value === undefined ? [] : [{ x: atS / 60, y: value / MiB }];
      });
      return points.length === 0 ? [] : [{ name, points }];
    }),
  });
  return [
    plot("Heap after a collection", "heapUsed"),
    plot("Array buffers", "arrayBuffers"),
    plot("Resident memory", "rssBytes"),
  ];
}

/** A table of what memory did, as Markdown. */
export function growthTable(growths: readonly Growth[]): string {
  const rows = [...new Set(growths.map(({ process }) => process))].map((process) => {
    const cell = (figure: string) => {
      const growth = growths.find((each) => each.process === process && each.figure === figure);
      if (growth === undefined) return "";
      return `${(growth.median / MiB).toFixed(1)} (${growth.growth < 0 ? "" : "+"}${(growth.growth / MiB).toFixed(2)})`;
    };
    return `| ${process} | ${cell("heapUsed")} | ${cell("arrayBuffers")} | ${cell("rssBytes")} |`;
  });
  const head = ["| process | heap, MiB (growth) | array buffers | resident |", "| --- | --- | --- | --- |"];
  return [...head, ...rows].join("\n");
}
