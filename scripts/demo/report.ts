import type { PickLine, PickLineCandidate } from "../../test/e2e/support/picker.ts";
import type { Conversation } from "./conversations.ts";
import type { SdkAnswer } from "./openai-client.ts";

/** One request with its answer and the picker's account of the choice. */
export interface DemoRow {
  readonly conversation: Conversation;
  /** From 1. */
  readonly turn: number;
  readonly answer: SdkAnswer;
  readonly pick: PickLine;
}

const columns = ["#", "conversation", "API", "turn", "worker", "prompt", "predicted", "reported", "why"] as const;
const rightAligned = new Set(["#", "turn", "prompt", "predicted", "reported"]);

/** The table of all requests, in tokens. */
export function table(rows: readonly DemoRow[]): string {
  const cells = [[...columns], ...rows.map(cellsOf)];
  const widths = columns.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0)));
  const lines = cells.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0;
        return rightAligned.has(columns[column] ?? "") ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
  const rule = widths.map((width) => "-".repeat(width)).join("  ");
  return [lines[0], rule, ...lines.slice(1)].join("\n");
}

/** The figures below the table, and what speaks against calling the demo a success. */
export function summary(rows: readonly DemoRow[]): { readonly text: string; readonly faults: readonly string[] } {
  const later = rows.filter(({ turn }) => turn > 1);
  const promptTokens = sum(later.map(({ answer }) => answer.promptTokens));
  const cachedTokens = sum(later.map(({ answer }) => answer.cachedTokens));
  const stayed = later.filter((row) => row.pick.worker === firstOf(rows, row)?.pick.worker).length;
  const exact = rows.filter(({ pick, answer }) => pick.predictedCachedTokens === answer.cachedTokens).length;
  const hitRate = promptTokens === 0 ? 0 : cachedTokens / promptTokens;
  const text = [
    `${rows.length} requests, all answered by the worker that was picked.`,
    `Later turns: ${stayed} of ${later.length} went where their conversation began; ` +
      `${(100 * hitRate).toFixed(1)} % of their prompt tokens were cached (${cachedTokens} of ${promptTokens}).`,
    `The prediction of cached tokens was exact for ${exact} of ${rows.length} requests.`,
  ].join("\n");
  return { text, faults: faultsOf(rows, later) };
}

function faultsOf(rows: readonly DemoRow[], later: readonly DemoRow[]): string[] {
  const faults = rows
    .filter(({ answer, pick }) => answer.worker !== pick.worker)
    .map(({ answer, pick }) => `${answer.requestId} was sent to ${pick.worker} and answered by ${answer.worker}`);
  const cold = later.filter(({ answer }) => answer.cachedTokens === 0);
  for (const { conversation, turn } of cold)
    faults.push(`turn ${turn} of conversation ${conversation.name} hit no cache`);
  return faults;
}

function cellsOf({ conversation, turn, answer, pick }: DemoRow, index: number): string[] {
  return [
    `${index + 1}`,
    conversation.name,
    `${conversation.api}${conversation.isStreamed ? ", SSE" : ""}`,
    `${turn}`,
    pick.worker,
    `${answer.promptTokens}`,
    `${pick.predictedCachedTokens ?? "?"}`,
    `${answer.cachedTokens}`,
    why(pick),
  ];
}

/** The reason of a choice in a few words: blocks held, cost in blocks, prompt tokens waiting before it. */
export function why(pick: PickLine): string {
  const chosen = pick.candidates.find(({ worker }) => worker === pick.worker);
  if (chosen?.cost === undefined) return "the only one that may be picked";
  const others = pick.candidates.filter((candidate) => candidate !== chosen);
  const held =
    chosen.overlapBlocks > 0 ? `holds ${chosen.overlapBlocks} of ${pick.promptBlocks ?? "?"} blocks` : "nothing cached";
  const queue = chosen.activePrefillTokens ? `, ${chosen.activePrefillTokens} tokens queued` : "";
  return `${held}${queue}: cost ${rounded(chosen.cost)}, others ${range(others)}`;
}

function range(candidates: readonly PickLineCandidate[]): string {
  const costs = candidates.flatMap(({ cost }) => (cost === undefined ? [] : [cost]));
  if (costs.length === 0) return "none";
  const [least, most] = [rounded(Math.min(...costs)), rounded(Math.max(...costs))];
  return least === most ? least : `${least} to ${most}`;
}

function rounded(cost: number): string {
  return Number.isInteger(cost) ? `${cost}` : cost.toFixed(1);
}

function firstOf(rows: readonly DemoRow[], { conversation }: DemoRow): DemoRow | undefined {
  return rows.find((row) => row.conversation === conversation);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
