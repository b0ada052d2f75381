import { blocks, count, listed, percent, quantity } from "./format.js";
import { aggregatedWords, exclusionNames, refusalWords, sessionWords, wordsFor } from "./words.js";

/**
 * @import { CandidateExplanation, PickExplanation } from "../../../pick/explanation.ts"
 * @import { ExplainedPick } from "../console-picks.ts"
 */

/**
 * The whole cost of a candidate, with its share of a pair; undefined when it could not be picked.
 * @param {CandidateExplanation} candidate
 */
export function wholeCost({ terms, pairBlocks }) {
  return terms === undefined ? undefined : terms.cost + pairBlocks;
}

/**
 * A rank's name for people: the worker's, and the rank where the worker has several.
 * @param {{ workerId: string, workerName: string, dpRank: number }} rank
 * @param {readonly { workerId: string, dpRank: number }[]} [among] all ranks that are told of
 */
export function rankName({ workerId, workerName, dpRank }, among = []) {
  const hasOthers = dpRank > 0 || among.some((other) => other.workerId === workerId && other.dpRank !== dpRank);
  return hasOthers ? `${workerName} rank ${dpRank}` : workerName;
}

/**
 * Why a request went where it went, in sentences.
 * @param {ExplainedPick} pick
 * @returns {string[]}
 */
export function sentencesOf({ outcome, explanation }) {
  const { loadOnlyReason, prefill, aggregatedReason, session } = explanation;
  const sentences = outcome === "picked" ? [] : [wordsFor(refusalWords, outcome)];
  if (loadOnlyReason !== undefined) sentences.push(`Placed by load alone: ${loadOnlyReason}.`);
  if (prefill !== undefined) sentences.push("Two workers share the work: one prefills, the other answers.");
  if (session !== undefined) sentences.push(sessionWords[session]);
  if (aggregatedReason !== undefined) sentences.push(aggregatedWords[aggregatedReason]);
  return sentences.filter((sentence) => sentence !== "");
}

/**
 * Why the choice of one phase fell as it did.
 * @param {PickExplanation} phase
 * @returns {string[]}
 */
export function choiceSentences(phase) {
  const chosen = phase.chosen === undefined ? undefined : phase.candidates[phase.chosen];
  const sentences =
    chosen === undefined ? [] : [costSentence(phase, chosen), tieSentence(phase), overlapSentence(phase, chosen)];
  return [...sentences, exclusionSentence(phase)].filter((sentence) => sentence !== "");
}

/** @param {PickExplanation} phase @param {CandidateExplanation} chosen */
function overlapSentence(phase, chosen) {
  const { candidates } = phase;
  const promptBlocks = wholeBlocks(phase);
  if (promptBlocks === 0) return "";
  const held = heldBlocks(chosen);
  const eligible = candidates.filter(({ exclusion }) => exclusion === undefined);
  const most = Math.max(...eligible.map(heldBlocks));
  if (most === 0) return `None of the eligible workers holds any of the prompt's ${quantity(promptBlocks, "block")}.`;
  const tiers = tierWords(chosen);
  const share = `${count(held)} of the prompt's ${quantity(promptBlocks, "block")} (${percent(held / promptBlocks)})`;
  const holds = held === 0 ? "It holds none of the prompt's blocks" : `It holds ${share}${tiers}`;
  if (held === most) return `${holds}; nobody eligible holds more.`;
  const costs = eligible.filter((candidate) => heldBlocks(candidate) === most).map((other) => wholeCost(other) ?? 0);
  const isDearer = Math.min(...costs) > (wholeCost(chosen) ?? 0);
  return `${holds}; another holds ${count(most)}${isDearer ? ", and is dearer by its load" : ""}.`;
}

/** Blocks of the prompt that can be held: complete ones. @param {PickExplanation} phase */
export function wholeBlocks({ promptTokens, blockSize }) {
  return Math.floor(promptTokens / blockSize);
}

/** Blocks of the prompt that it holds, whatever the tier. @param {CandidateExplanation} candidate */
export function heldBlocks({ overlapBlocks: { device, host, disk, sharedCache } }) {
  return device + host + disk + sharedCache;
}

/** @param {CandidateExplanation} candidate */
function tierWords({ overlapBlocks: { device, host, disk, sharedCache } }) {
  if (host + disk + sharedCache === 0) return ", all on the device";
  const parts = [
    [device, "on the device"],
    [host, "in host memory"],
    [disk, "on disk"],
    [sharedCache, "in a shared cache"],
  ];
  return `: ${listed(parts.filter(([held]) => held !== 0).map(([held, where]) => `${count(Number(held))} ${where}`))}`;
}

/** @param {PickExplanation} phase @param {CandidateExplanation} chosen */
function costSentence({ candidates, options, tied }, chosen) {
  const cost = wholeCost(chosen);
  if (cost === undefined) return "";
  const others = candidates.filter((candidate) => candidate !== chosen && candidate.terms !== undefined);
  const own = `${rankName(chosen, candidates)} costs ${quantityOfBlocks(cost)}`;
  if (others.length === 0) return `${own}; nobody else could be picked.`;
  const next = others.reduce((best, other) => ((wholeCost(other) ?? 0) < (wholeCost(best) ?? 0) ? other : best));
  const difference = (wholeCost(next) ?? 0) - cost;
  if (difference < 0) {
    const why = options.temperature > 0 ? "the draw fell on this one" : "the session or the pair outweighs that";
    return `${own}; ${rankName(next, candidates)} costs ${blocks(-difference)} less, but ${why}.`;
  }
  if (tied > 1) return `${own}, which is the least.`;
  return `${own}, ${blocks(difference)} less than the next, ${rankName(next, candidates)}.`;
}

/** @param {PickExplanation} phase */
function tieSentence({ tied, options }) {
  if (options.temperature > 0)
    return `Cheap workers are drawn by lot, the cheaper the likelier (temperature ${options.temperature}).`;
  if (tied <= 1) return "";
  const rule =
    options.tieBreak === "random"
      ? "one of them was drawn by lot"
      : "the one with the fewest requests was taken, and any among equals";
  return `${count(tied)} workers cost the same: ${rule}.`;
}

/** @param {PickExplanation} phase */
function exclusionSentence({ candidates }) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { exclusion } of candidates) {
    if (exclusion !== undefined) counts.set(exclusion, (counts.get(exclusion) ?? 0) + 1);
  }
  if (counts.size === 0) return "";
  const parts = [...counts].map(([exclusion, amount]) => `${count(amount)} ${wordsFor(exclusionNames, exclusion)}`);
  return `Could not be picked: ${listed(parts)}.`;
}

/** @param {number} amount */
function quantityOfBlocks(amount) {
  return `${blocks(amount)} ${amount === 1 ? "block" : "blocks"}`;
}
