import { drawBadge } from "./badge.js";
import { drawBar, legend } from "./bar.js";
import { isDecodeOnly, termsOf } from "./cost-terms.js";
import { element, setText } from "./elements.js";
import { blocks, count, quantity, unknown } from "./format.js";
import { PagedList } from "./paged-list.js";
import { heldBlocks, rankName, wholeBlocks, wholeCost } from "./why.js";
import { exclusionWords, wordsFor } from "./words.js";

/**
 * @import { CandidateExplanation, PickExplanation } from "../../../pick/explanation.ts"
 * @import { Column } from "./live-table.js"
 */

/** @typedef {{ candidate: CandidateExplanation, isChosen: boolean, phase: PickExplanation, dearest: number }} Row */

/**
 * Every candidate of a choice: the picked one first, then by cost, then those that could not be picked.
 * @param {PickExplanation} phase
 * @param {string} caption
 */
export function candidateTable(phase, caption) {
  const rows = rowsOf(phase);
  const list = new PagedList({
    noun: "candidates",
    empty: "There was no worker at all.",
    pageSize: 25,
    table: {
      caption,
      columns: columnsFor(phase),
      keyOf: ({ candidate }) => `${candidate.workerId}/${candidate.dpRank}`,
      markOf: ({ isChosen, candidate }) => (isChosen ? "chosen" : candidate.exclusion === undefined ? "" : "excluded"),
    },
    ...(rows.length > 10
      ? { textOf: ({ candidate }) => `${rankName(candidate, phase.candidates)} ${candidate.endpoint}` }
      : {}),
  });
  list.update(rows);
  return element("div", {}, list.root, legend(keysFor(phase)));
}

/** What the colours that are there mean. @param {PickExplanation} phase @returns {(readonly [string, string])[]} */
function keysFor({ candidates }) {
  /** @param {(candidate: CandidateExplanation) => number | undefined} amountOf */
  const isThere = (amountOf) => candidates.some((candidate) => (amountOf(candidate) ?? 0) > 0);
  /** @type {(readonly [string, string, boolean])[]} */
  const keys = [
    ["device", "held on the device", isThere(({ overlapBlocks }) => overlapBlocks.device)],
    ["host", "in host memory", isThere(({ overlapBlocks }) => overlapBlocks.host)],
    ["disk", "on disk or shared", isThere(({ overlapBlocks: { disk, sharedCache } }) => disk + sharedCache)],
    ["prefill", "cost of prefill", isThere(({ terms }) => terms?.prefillBlocks)],
    ["decode", "cost of decode", isThere(({ terms }) => terms?.decodeBlocks)],
    [
      "other",
      "cost of requests and pair",
      isThere(({ terms, pairBlocks }) => (terms?.requestBlocks ?? 0) + pairBlocks),
    ],
  ];
  return keys.filter(([, , isUsed]) => isUsed).map(([kind, meaning]) => [kind, meaning]);
}

/** @param {PickExplanation} phase @returns {Row[]} */
function rowsOf(phase) {
  const dearest = Math.max(0, ...phase.candidates.map((candidate) => wholeCost(candidate) ?? 0));
  const rows = phase.candidates.map((candidate, i) => ({ candidate, isChosen: i === phase.chosen, phase, dearest }));
  return rows.toSorted((a, b) => Number(b.isChosen) - Number(a.isChosen) || rankOf(a) - rankOf(b));
}

/** @param {Row} row */
function rankOf({ candidate }) {
  return wholeCost(candidate) ?? Number.MAX_VALUE;
}

/**
 * Terms that no candidate has are left out.
 * @param {PickExplanation} phase
 * @returns {Column<Row>[]}
 */
function columnsFor(phase) {
  const { hasRequests, hasPreferences, hasPairs } = termsOf(phase);
  return [
    {
      label: "Worker",
      kind: "name",
      draw: drawName,
      order: ({ candidate, phase }) => rankName(candidate, phase.candidates),
    },
    { label: "Overlap, blocks", kind: "wide", draw: drawOverlap, order: ({ candidate }) => heldBlocks(candidate) },
    {
      label: "Load",
      text: ({ candidate }) => loadText(candidate),
      order: ({ candidate }) => candidate.load?.requests ?? -1,
    },
    term("To prefill", ({ terms: own }) => own?.prefillBlocks),
    term("Cache credit", ({ terms: own }) => (own === undefined ? undefined : -own.creditBlocks)),
    term("Decode", ({ terms: own }) => own?.decodeBlocks),
    ...(hasRequests ? [term("Requests", ({ terms: own }) => own?.requestBlocks)] : []),
    ...(hasPreferences
      ? [term("Preference ×", ({ terms: own }) => own && Math.round(own.preferenceFactor * 100) / 100)]
      : []),
    ...(hasPairs ? [term("Pair", ({ terms: own, pairBlocks }) => own && pairBlocks)] : []),
    { label: "Cost, blocks", kind: "wide", draw: drawCost, order: rankOf },
  ];
}

/**
 * @param {string} label
 * @param {(candidate: CandidateExplanation) => number | undefined} amountOf
 * @returns {Column<Row>}
 */
function term(label, amountOf) {
  return {
    label,
    kind: "number",
    text: ({ candidate }) => {
      const value = amountOf(candidate);
      if (value === undefined) return unknown;
      return value < 0 ? `−${blocks(-value)}` : blocks(value === 0 ? 0 : value);
    },
    order: ({ candidate }) => amountOf(candidate) ?? Number.MAX_VALUE,
  };
}

/** @param {HTMLElement} cell @param {Row} row */
function drawName(cell, { candidate, isChosen, phase }) {
  const name = element("span", { class: "name" }, rankName(candidate, phase.candidates));
  const endpoint = element("span", { class: "muted small" }, candidate.endpoint);
  cell.className = "name-cell";
  const mark = element("span");
  if (isChosen) drawBadge(mark, { severity: "good", text: "Picked" });
  cell.replaceChildren(element("span", { class: "name-line" }, name, isChosen ? mark : undefined), endpoint);
}

/** @param {HTMLElement} cell @param {Row} row */
function drawOverlap(cell, { candidate, phase }) {
  const { device, host, disk, sharedCache } = candidate.overlapBlocks;
  const whole = Math.max(1, wholeBlocks(phase));
  const parts = [
    { kind: "device", share: device / whole },
    { kind: "host", share: host / whole },
    { kind: "disk", share: (disk + sharedCache) / whole },
  ];
  const tiers = [
    host > 0 ? `${count(host)} host` : "",
    disk > 0 ? `${count(disk)} disk` : "",
    sharedCache > 0 ? `${count(sharedCache)} shared` : "",
  ];
  const lower = tiers.filter((tier) => tier !== "");
  const text = lower.length === 0 ? count(device) : `${count(device)} + ${lower.join(" + ")}`;
  drawBar(cell, parts, `${text} of ${count(wholeBlocks(phase))}`, "medium");
}

/** @param {HTMLElement} cell @param {Row} row */
function drawCost(cell, { candidate, phase, dearest }) {
  const { terms, exclusion } = candidate;
  const cost = wholeCost(candidate);
  if (terms === undefined || cost === undefined) {
    cell.className = "reason";
    setText(cell, exclusion === undefined ? unknown : wordsFor(exclusionWords, exclusion));
    return;
  }
  const scale = Math.max(dearest, Number.MIN_VALUE);
  const decode = Math.min(cost, terms.decodeBlocks * terms.preferenceFactor);
  const other = Math.min(cost - decode, terms.requestBlocks * terms.preferenceFactor + candidate.pairBlocks);
  const parts = [
    { kind: "prefill", share: isDecodeOnly(phase) ? 0 : Math.max(0, cost - decode - other) / scale },
    { kind: "decode", share: decode / scale },
    { kind: "other", share: other / scale },
  ];
  drawBar(cell, parts, blocks(cost));
}

/** @param {CandidateExplanation} candidate */
function loadText({ load }) {
  if (load === undefined) return "not known";
  const { requests, siblingRequests, foreignRequests } = load;
  const of = [
    siblingRequests > 0 ? `${count(siblingRequests)} of other replicas` : "",
    foreignRequests > 0 ? `${count(foreignRequests)} unbooked` : "",
  ];
  const parts = of.filter((part) => part !== "");
  return `${quantity(requests, "request")}${parts.length === 0 ? "" : ` (${parts.join(", ")})`}`;
}
