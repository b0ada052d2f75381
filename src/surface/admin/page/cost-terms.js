/** @import { PickExplanation } from "../../../pick/explanation.ts" */

/** Which of the terms that are often nothing are something for at least one candidate. @param {PickExplanation} phase */
export function termsOf({ candidates }) {
  const terms = candidates.map((candidate) => candidate.terms).filter((known) => known !== undefined);
  return {
    hasRequests: terms.some(({ requestBlocks }) => requestBlocks !== 0),
    hasPreferences: terms.some(({ preferenceFactor }) => preferenceFactor !== 1),
    hasPairs: candidates.some(({ pairBlocks }) => pairBlocks !== 0),
  };
}

/** Whether the phase is the decode half of a split request. @param {PickExplanation} phase */
export function isDecodeOnly({ candidates, phase, options }) {
  if (phase !== "decode" || options.overlapScoreCredit === 0) return false;
  return candidates.every(({ terms }) => terms === undefined || terms.prefillBlocks === 0);
}

/** How the cost comes about, of the terms that are shown. @param {PickExplanation} phase */
export function formulaOf(phase) {
  const { prefillLoadScale } = phase.options;
  const { hasRequests, hasPreferences, hasPairs } = termsOf(phase);
  const scale = prefillLoadScale === 1 ? "" : `${prefillLoadScale} × `;
  const most = isDecodeOnly(phase)
    ? "max(0, decode − cache credit)"
    : `${scale}max(0, to prefill − cache credit) + decode`;
  const sum = `${most}${hasRequests ? " + requests" : ""}`;
  const preferred = hasPreferences ? `preference × (${sum})` : sum;
  return `Cost = ${preferred}${hasPairs ? " + pair" : ""}, in blocks. The lowest is picked.`;
}
