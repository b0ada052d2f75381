import { drawBadge } from "./badge.js";
import { element } from "./elements.js";
import { count, shortCount, unknown } from "./format.js";
import { PagedList } from "./paged-list.js";
import { modelCondition } from "./worker-words.js";

/**
 * @import { ConsoleModel, ConsoleState } from "../console-state.ts"
 * @import { Column } from "./live-table.js"
 */

/** @type {readonly Column<ConsoleModel>[]} */
const columns = [
  { label: "Model", kind: "name", text: ({ name }) => name, order: ({ name }) => name },
  { label: "Placed by", draw: (cell, model) => drawBadge(cell, modelCondition(model)), order: ({ tokens }) => tokens },
  { label: "Why", kind: "name", text: why },
  { label: "Profile", text: ({ profile }) => profile ?? unknown, order: ({ profile }) => profile ?? "" },
  {
    label: "Block size",
    kind: "number",
    text: ({ blockSize }) => count(blockSize),
    order: ({ blockSize }) => blockSize,
  },
  {
    label: "Blocks known",
    kind: "number",
    text: ({ index }) => shortCount(index.blocks),
    order: ({ index }) => index.blocks,
  },
  {
    label: "Guessed",
    kind: "number",
    text: ({ index }) => shortCount(index.guessedBlocks),
    order: ({ index }) => index.guessedBlocks,
  },
  {
    label: "Index, MB",
    kind: "number",
    text: ({ index }) => (index.usedBytes / 1e6).toFixed(1),
    order: ({ index }) => index.usedBytes,
  },
  { label: "Other names", kind: "name", text: ({ aliases }) => (aliases.length === 0 ? unknown : aliases.join(", ")) },
];

/** Whose prompts are known exactly, and why others' are not. */
export function createModels() {
  const list = new PagedList({
    noun: "models",
    empty: "No models are served by name: every request is placed by load.",
    table: { caption: "Models", columns, keyOf: ({ name }) => name },
    textOf: ({ name, aliases, profile }) => [name, profile, ...aliases].join(" "),
  });
  return {
    root: element("section", { class: "card" }, element("h3", {}, "Models"), list.root),
    /** @param {ConsoleState} state */
    update: ({ models }) => list.update(models),
  };
}

/** @param {ConsoleModel} model */
function why({ tokens, loadReason, inexact }) {
  if (tokens === "load") return loadReason ?? "";
  if (tokens === "loading") return "its tokenizer is being read; by load until then";
  const reasons = Object.entries(inexact).toSorted(([, a], [, b]) => b - a);
  const exceptions = reasons.map(([reason, amount]) => `${count(amount)} by load: ${reason}`);
  return ["prompts are tokenized as the workers do it", ...exceptions].join("; ");
}
