/** @import { ConsoleHistory } from "../console-state.ts" */

/**
 * What happened in one stretch of time.
 * @typedef {{ atMs: number, lengthMs: number, picks: number, refusals: number, promptBlocks: number, heldBlocks: number, requests: number }} Stretch
 */

/**
 * The history in fewer and longer stretches, oldest first; each ends at a multiple of its length.
 * @param {ConsoleHistory} history
 * @param {number} atMost
 * @returns {Stretch[]}
 */
export function stretchesOf(history, atMost) {
  const { intervalMs, spanMs, atMs } = history;
  const each = Math.max(1, Math.ceil(spanMs / intervalMs / atMost));
  const lengthMs = intervalMs * each;
  /** @type {Stretch[]} */
  const stretches = [];
  for (const [i, at] of atMs.entries()) {
    const endMs = Math.ceil(at / lengthMs) * lengthMs;
    let last = stretches.at(-1);
    if (last?.atMs !== endMs) {
      last = { atMs: endMs, lengthMs, picks: 0, refusals: 0, promptBlocks: 0, heldBlocks: 0, requests: 0 };
      stretches.push(last);
    }
    last.picks += history.picks[i] ?? 0;
    last.refusals += history.refusals[i] ?? 0;
    last.promptBlocks += history.promptBlocks[i] ?? 0;
    last.heldBlocks += history.heldBlocks[i] ?? 0;
    last.requests = Math.max(last.requests, history.requests[i] ?? 0);
  }
  return stretches;
}

/** @param {{ promptBlocks: number, heldBlocks: number }} counts @returns {number | undefined} undefined = no prompt was placed */
export function hitShare({ promptBlocks, heldBlocks }) {
  return promptBlocks === 0 ? undefined : heldBlocks / promptBlocks;
}

/**
 * The hit rate at the end of each stretch, of all prompts in the time before it: a single one says little where few prompts come.
 * @param {readonly Stretch[]} stretches
 * @param {number} windowMs
 * @returns {{ atMs: number, value: number | undefined }[]}
 */
export function movingHitShare(stretches, windowMs) {
  let first = 0;
  const sum = { promptBlocks: 0, heldBlocks: 0 };
  return stretches.map((stretch) => {
    sum.promptBlocks += stretch.promptBlocks;
    sum.heldBlocks += stretch.heldBlocks;
    for (let oldest = stretches[first]; oldest && oldest.atMs <= stretch.atMs - windowMs; oldest = stretches[++first]) {
      sum.promptBlocks -= oldest.promptBlocks;
      sum.heldBlocks -= oldest.heldBlocks;
    }
    return { atMs: stretch.atMs, value: hitShare(sum) };
  });
}
