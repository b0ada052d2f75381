import type { PickedRank, PickSummary } from "../surface/admin/index.ts";
import { clockTime, shortCount } from "./figures.ts";
import type { Glyphs } from "./glyphs.ts";
import { dim, green, plain, red } from "./style.ts";
import type { Column } from "./table.ts";

/** The columns of the list of recent picks. */
export function pickColumns(glyphs: Glyphs): readonly Column<PickSummary>[] {
  return [
    { title: "PICK AT", priority: 0, minWidth: 8, text: ({ atMs }) => clockTime(atMs) },
    {
      title: "WORKER",
      priority: 1,
      minWidth: 12,
      maxWidth: 44,
      text: (pick) => whoText(pick, glyphs),
      style: ({ picked }) => (picked === undefined ? red : plain),
    },
    {
      title: "HELD/BLOCKS",
      priority: 2,
      minWidth: 11,
      isRight: true,
      text: heldText,
      style: ({ heldBlocks }) => (heldBlocks === undefined ? dim : heldBlocks > 0 ? green : plain),
    },
    { title: "TOKENS", priority: 3, minWidth: 6, isRight: true, text: ({ promptTokens }) => countOrNone(promptTokens) },
    {
      title: "MODEL",
      priority: 4,
      minWidth: 10,
      maxWidth: 30,
      text: ({ model }) => glyphs.shown(model ?? "-"),
    },
    { title: "API", priority: 5, minWidth: 11, text: ({ api }) => glyphs.shown(api) },
    {
      title: "REQUEST",
      priority: 6,
      minWidth: 8,
      maxWidth: 40,
      text: ({ requestId }) => glyphs.shown(requestId ?? "-"),
      style: () => dim,
    },
  ];
}

/** Who was picked, `prefill → answering` where two share the work; the code of the refusal where nobody was. */
export function whoText({ outcome, picked, prefill }: PickSummary, glyphs: Glyphs): string {
  if (picked === undefined) return glyphs.shown(outcome);
  const answering = rankName(picked, glyphs);
  return prefill === undefined ? answering : `${rankName(prefill, glyphs)} ${glyphs.to} ${answering}`;
}

/** A rank by the name of its worker; the first rank by that alone. */
export function rankName({ workerName, dpRank }: Pick<PickedRank, "workerName" | "dpRank">, glyphs: Glyphs): string {
  return glyphs.shown(workerName) + (dpRank === 0 ? "" : `/${dpRank}`);
}

/** Whether any of its names holds the text, whatever the case. */
export function matchesPick(
  { id, requestId, outcome, api, model, picked, prefill }: PickSummary,
  filter: string,
): boolean {
  const texts = [id, requestId, outcome, api, model, picked?.workerName, picked?.endpoint, prefill?.workerName];
  return texts.some((text) => text?.toLowerCase().includes(filter.toLowerCase()));
}

function heldText({ heldBlocks, promptBlocks }: PickSummary): string {
  if (promptBlocks === undefined) return "by load";
  return `${heldBlocks === undefined ? "-" : shortCount(heldBlocks)}/${shortCount(promptBlocks)}`;
}

function countOrNone(count: number | undefined): string {
  return count === undefined ? "-" : shortCount(count);
}
