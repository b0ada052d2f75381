/**
 * @import { ConsoleModel, ConsoleState } from "../console-state.ts"
 * @import { ConsoleLoad, ConsoleRank, ConsoleWorker } from "../console-workers.ts"
 */

/**
 * A rank with what the page makes of it.
 * @typedef {object} RankRow
 * @property {string} key
 * @property {ConsoleWorker} worker
 * @property {ConsoleRank} rank
 * @property {string} name the worker's, with the rank where there are several
 * @property {ConsoleLoad} load whoever booked it
 * @property {number} prefillBlocks of that load
 * @property {number} loadBlocks all of it
 * @property {number} heldBlocks known and guessed
 */

/** @param {ConsoleState} state @returns {RankRow[]} */
export function rankRows({ workers, models }) {
  return workers.flatMap((worker) => worker.ranks.map((rank) => rankRow(worker, rank, models)));
}

/** @param {ConsoleWorker} worker @param {ConsoleRank} rank @param {readonly ConsoleModel[]} models @returns {RankRow} */
function rankRow(worker, rank, models) {
  const load = sum([rank.booked, rank.siblings, rank.foreign]);
  const prefillBlocks = load.prefillTokens / blockSizeOf(worker, models);
  const name = worker.ranks.length > 1 ? `${worker.name} rank ${rank.dpRank}` : worker.name;
  const heldBlocks = rank.heldBlocks.total + rank.guessedBlocks;
  const key = `${worker.id}/${rank.dpRank}`;
  return { key, worker, rank, name, load, prefillBlocks, loadBlocks: load.decodeBlocks + prefillBlocks, heldBlocks };
}

/** @param {ConsoleWorker} worker @param {readonly ConsoleModel[]} models */
function blockSizeOf(worker, models) {
  const served = models.find(({ name }) => worker.models.length === 0 || worker.models.includes(name));
  return served?.blockSize ?? 16;
}

/** @param {readonly (ConsoleLoad | undefined)[]} loads @returns {ConsoleLoad} */
function sum(loads) {
  const total = { requests: 0, prefillTokens: 0, decodeBlocks: 0 };
  for (const load of loads) {
    if (load === undefined) continue;
    total.requests += load.requests;
    total.prefillTokens += load.prefillTokens;
    total.decodeBlocks += load.decodeBlocks;
  }
  return total;
}

/**
 * What bars of load and of cache are measured by: the busiest rank, and the largest cache.
 * @param {readonly RankRow[]} rows
 */
export function scalesOf(rows) {
  let loadBlocks = 1;
  let cacheBlocks = 1;
  for (const { rank, loadBlocks: own, heldBlocks } of rows) {
    loadBlocks = Math.max(loadBlocks, own);
    cacheBlocks = Math.max(cacheBlocks, rank.totalKvBlocks ?? 0, heldBlocks);
  }
  return { loadBlocks, cacheBlocks };
}
