import type { CandidateExplanation, PickExplanation } from "../pick/index.ts";
import type { PreparedRequest, RouteExplanation } from "../router/index.ts";

const shownTokens = 32;

/** What an explanation knows of the fleet. */
export interface Knowledge {
  /** Whether prompts could be split at all. */
  readonly hasPrefillWorkers: boolean;
  /** Ranks whose KV events were followed. */
  readonly followedRanks: number;
  /** For how long. */
  readonly waitMs: number;
}

/** The explanation of one request, for a terminal. Shows the prompt: for the person who brought it. */
export function explanationText(
  prepared: PreparedRequest,
  explanation: RouteExplanation,
  knowledge: Knowledge,
): string {
  const { answering, prefill } = explanation;
  return [
    `api      ${explanation.api}`,
    `model    ${explanation.model ?? "(none named)"}`,
    ...promptLines(prepared),
    ...(prefill === undefined ? [] : ["", "prefill on", ...choiceLines(prefill)]),
    knowledgeLine(knowledge),
    ...splitLines(explanation, knowledge),
    "",
    ...choiceLines(answering),
    "",
  ].join("\n");
}

/** Nobody is asked: what a running picker would see of the workers is not in the figures below. */
function knowledgeLine({ followedRanks, waitMs }: Knowledge): string {
  const caches =
    followedRanks === 0
      ? "nor is what they cache: none publishes KV events"
      : waitMs === 0
        ? "nor is what they cache: --wait-ms is 0"
        : `what they cache is as ${waitMs} ms of KV events tell (ranks: ${followedRanks})`;
  return `offline  whether workers are up and how busy they are is not looked at; ${caches}`;
}

/** Where nobody only prefills, that no prompt is split says nothing. */
function splitLines(
  { aggregatedReason: reason, prefill }: RouteExplanation,
  { hasPrefillWorkers }: Knowledge,
): string[] {
  const isExpected = reason === "no_prompt" || (reason === "no_prefill_worker" && !hasPrefillWorkers);
  return isExpected || prefill !== undefined ? [] : [`split    no: ${reason}`];
}

/** Who was looked at in vain, for a terminal. */
export function refusalText({ answering, prefill }: RouteExplanation, knowledge: Knowledge): string {
  const parts = prefill === undefined ? [] : ["prefill on", ...choiceLines(prefill), ""];
  return [knowledgeLine(knowledge), "", ...parts, ...choiceLines(answering), ""].join("\n");
}

function promptLines({ prompt, hashes, loadOnlyReason, bodyEdit }: PreparedRequest): string[] {
  if (prompt === undefined || hashes === undefined) return [`tokens   not known: ${loadOnlyReason ?? "no prompt"}`];
  const { tokenIds } = prompt;
  const more = tokenIds.length > shownTokens ? " ..." : "";
  return [
    `tokens   ${tokenIds.length}: ${tokenIds.subarray(0, shownTokens).join(" ")}${more}`,
    `blocks   ${hashes.count} complete`,
    `injected ${bodyEdit === undefined ? "no" : `yes, ${bodyEdit.insert.reduce((sum, part) => sum + part.length, 0)} bytes`}`,
    ...(loadOnlyReason === undefined ? [] : [`inexact  ${loadOnlyReason}`]),
    ...(prompt.pieces === undefined ? [] : ["prompt", ...indented(prompt.pieces.join(""))]),
  ];
}

function indented(text: string): string[] {
  return text.split("\n").map((line) => `  | ${line}`);
}

function choiceLines(pick: PickExplanation): string[] {
  const rows = pick.candidates.map((candidate, i) => row(candidate, i === pick.chosen));
  const header = ["", "worker", "endpoint", "rank", "overlap", "prefill tokens", "decode blocks", "requests", "cost"];
  const widths = header.map((title, i) => Math.max(title.length, ...rows.map((cells) => cells[i]?.length ?? 0)));
  return [header, ...rows].map((cells) =>
    cells
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function row(
  { workerName, endpoint, dpRank, overlapBlocks, load, terms, pairBlocks, exclusion }: CandidateExplanation,
  isChosen: boolean,
) {
  return [
    isChosen ? "=>" : "",
    workerName,
    endpoint,
    String(dpRank),
    overlapText(overlapBlocks),
    String(load?.prefillTokens ?? "?"),
    String(load?.decodeBlocks ?? "?"),
    String(load?.requests ?? "?"),
    terms === undefined ? (exclusion ?? "") : (terms.cost + pairBlocks).toFixed(2),
  ];
}

/** Device blocks, and where lower tiers continue them what they add: `12+3h+1d`. */
function overlapText({ device, host, disk }: CandidateExplanation["overlapBlocks"]): string {
  return `${device}${host === 0 ? "" : `+${host}h`}${disk === 0 ? "" : `+${disk}d`}`;
}
