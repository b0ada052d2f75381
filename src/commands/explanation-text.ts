import type { CandidateExplanation, PickExplanation } from "../pick/index.ts";
import type { PreparedRequest, RouteExplanation } from "../router/index.ts";

const shownTokens = 32;

/** The explanation of one request, for a terminal. Shows the prompt: for the person who brought it. */
export function explanationText(prepared: PreparedRequest, explanation: RouteExplanation): string {
  const { answering, prefill } = explanation;
  return [
    `api      ${explanation.api}`,
    `model    ${explanation.model ?? "(none named)"}`,
    ...promptLines(prepared),
    ...(prefill === undefined ? [] : ["", "prefill on", ...choiceLines(prefill)]),
    ...(explanation.aggregatedReason === "no_prompt" || prefill !== undefined
      ? []
      : [`split    no: ${explanation.aggregatedReason}`]),
    "",
    ...choiceLines(answering),
    "",
  ].join("\n");
}

/** Who was looked at in vain, for a terminal. */
export function refusalText({ answering, prefill }: RouteExplanation): string {
  const parts = prefill === undefined ? [] : ["prefill on", ...choiceLines(prefill), ""];
  return [...parts, ...choiceLines(answering), ""].join("\n");
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
