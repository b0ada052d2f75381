/**
 * What opening a row of a list does. `opener` gets the focus back afterwards.
 * @typedef {object} Openers
 * @property {(pick: { id: string }, opener: HTMLElement) => void} openPick
 * @property {(row: import("./ranks.js").RankRow, opener: HTMLElement) => void} openRank
 */

export {};
