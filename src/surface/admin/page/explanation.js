import { ApiError, ask } from "./api-client.js";
import { candidateTable } from "./candidates.js";
import { formulaOf } from "./cost-terms.js";
import { Sheet } from "./dialog.js";
import { element } from "./elements.js";
import { factList } from "./facts.js";
import { clockTime, count, quantity, unknown } from "./format.js";
import { wasCounted } from "./pick-numbers.js";
import { choiceSentences, rankName, sentencesOf } from "./why.js";

/**
 * @import { PickExplanation } from "../../../pick/explanation.ts"
 * @import { ExplainedPick, PickList } from "../console-picks.ts"
 */

/** Shows why a request went to its worker. */
export class ExplanationSheet {
  #asked = new AbortController();

  /** @param {() => void} closed */
  constructor(closed) {
    this.sheet = new Sheet("explanation", () => {
      this.#asked.abort();
      closed();
    });
  }

  /**
   * @param {string} id of the pick
   * @param {HTMLElement | undefined} opener
   */
  async open(id, opener) {
    this.#asked.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    this.sheet.show(opener, `Pick ${id}`, "Asking the picker …");
    try {
      const response = await ask(`api/picks/${encodeURIComponent(id)}`, signal);
      /** @type {ExplainedPick} */
      const pick = await response.json();
      signal.throwIfAborted();
      this.sheet.show(opener, headingOf(pick), subtitleOf(pick), ...contentOf(pick));
    } catch (error) {
      if (!signal.aborted) this.sheet.show(opener, `Pick ${id}`, await faultText(error, id, signal));
    }
  }

  close() {
    this.sheet.close();
  }
}

/** @param {unknown} error @param {string} id @param {AbortSignal} signal */
async function faultText(error, id, signal) {
  if (error instanceof ApiError && error.status === 404) {
    return (await isOver(id, signal))
      ? "It is no longer kept: only the latest decisions are (decisions.maxDecisions)."
      : "There is none of this number.";
  }
  return error instanceof ApiError ? `It cannot be shown: ${error.message}.` : "The server cannot be reached just now.";
}

/**
 * Whether there was a decision of this number, as far as the latest ones tell; of a shard all of whose numbers are older nothing is known.
 * @param {string} id @param {AbortSignal} signal
 */
async function isOver(id, signal) {
  try {
    /** @type {PickList} */
    const { picks } = await (await ask("api/picks?limit=1000", signal)).json();
    return wasCounted(
      id,
      picks.map((pick) => pick.id),
    );
  } catch {
    return true;
  }
}

/** @param {ExplainedPick} pick */
function headingOf({ id, picked, prefill, explanation }) {
  if (picked === undefined) return `Pick ${id}: refused`;
  const answering = rankName(picked, explanation.answering.candidates);
  if (prefill === undefined) return `Why ${answering}?`;
  return `Why ${rankName(prefill, explanation.prefill?.candidates)} and ${answering}?`;
}

/** @param {ExplainedPick} pick */
function subtitleOf({ id, atMs, picked }) {
  return `Pick ${id} at ${clockTime(atMs)}${picked === undefined ? "" : `, sent to ${picked.endpoint}`}`;
}

/** @param {ExplainedPick} pick */
function contentOf(pick) {
  const { explanation } = pick;
  const { answering, prefill } = explanation;
  const general = sentencesOf(pick);
  if (prefill === undefined) return [requestFacts(pick), phasePart(answering, undefined, general)];
  return [
    requestFacts(pick),
    sentenceList(general),
    phasePart(prefill, "The worker that prefills", []),
    phasePart(answering, "The worker that answers", []),
  ];
}

/** @param {ExplainedPick} pick */
function requestFacts({ api, model, promptTokens, promptBlocks, requestId, outcome, explanation }) {
  const blockSize = explanation.answering.blockSize;
  const prompt =
    promptTokens === undefined
      ? "tokens not known"
      : `${quantity(promptTokens, "token")}, ${quantity(promptBlocks ?? 0, "whole block")} of ${count(blockSize)}`;
  return factList([
    ["Model", model ?? unknown],
    ["API", api],
    ["Prompt", prompt],
    ["Request id", requestId ?? unknown],
    ...(outcome === "picked" ? [] : [/** @type {const} */ (["Refused with", outcome])]),
  ]);
}

/** @param {PickExplanation} phase @param {string | undefined} heading @param {readonly string[]} more sentences */
function phasePart(phase, heading, more) {
  return element(
    "section",
    { class: "phase" },
    heading === undefined ? undefined : element("h3", {}, heading),
    sentenceList(orderedSentences(phase, more)),
    candidateTable(phase, heading ?? "Every candidate"),
    element("p", { class: "muted small formula" }, formulaOf(phase)),
  );
}

/** The outcome first, be it a worker or a refusal. @param {PickExplanation} phase @param {readonly string[]} more */
function orderedSentences(phase, more) {
  const own = choiceSentences(phase);
  return phase.chosen === undefined ? [...more, ...own] : [...own.slice(0, 1), ...more, ...own.slice(1)];
}

/** @param {readonly string[]} sentences */
function sentenceList(sentences) {
  return element("ul", { class: "sentences" }, ...sentences.map((sentence) => element("li", {}, sentence)));
}
