import type { ExplainedPick } from "../surface/admin/index.ts";
import { clockTime, costText, shortCount } from "./figures.ts";
import { bar, type Glyphs } from "./glyphs.ts";
import { emptyRow, type PanelRow, spansRow, tableRows, textRows } from "./panel.ts";
import { rankName, whoText } from "./pick-list.ts";
import { bold, cyan, dim, green, plain, red } from "./style.ts";
import type { Column } from "./table.ts";

type Choice = ExplainedPick["explanation"]["answering"];
type CandidateOfChoice = Choice["candidates"][number];

/** A candidate with what its row says. */
interface Contender {
  readonly candidate: CandidateOfChoice;
  /** Undefined = it was not eligible. */
  readonly cost: number | undefined;
  readonly isChosen: boolean;
}

/** Why this worker: what was asked, the choice in words, and every candidate by its cost. */
export function whyRows(pick: ExplainedPick, width: number, glyphs: Glyphs): PanelRow[] {
  const { explanation } = pick;
  const { answering, prefill } = explanation;
  return [
    spansRow(
      { text: `Why ${whoText(pick, glyphs)}`, style: bold | (pick.picked === undefined ? red : plain) },
      { text: `pick ${glyphs.shown(pick.id)}`, style: dim },
      { text: clockTime(pick.atMs), style: dim },
      ...(pick.requestId === undefined ? [] : [{ text: glyphs.shown(pick.requestId), style: dim }]),
    ),
    ...textRows(askedText(pick, glyphs), width),
    ...textRows(circumstances(pick, glyphs), width, dim),
    ...(prefill === undefined ? [] : choiceRows("Prefill", prefill, width, glyphs)),
    ...choiceRows(prefill === undefined ? "" : "Decode", answering, width, glyphs),
  ];
}

function askedText({ explanation, api }: ExplainedPick, glyphs: Glyphs): string {
  const { model, promptTokens, promptBlocks, loadOnlyReason } = explanation;
  const length =
    promptTokens === undefined
      ? "a prompt whose tokens are not known"
      : `${promptTokens} tokens${promptBlocks === undefined ? "" : `, ${promptBlocks} complete blocks`}`;
  const reason = loadOnlyReason === undefined ? "" : `; by load alone: ${glyphs.shown(loadOnlyReason)}`;
  return `${glyphs.shown(api)} for ${glyphs.shown(model ?? "no model")}: ${length}${reason}`;
}

const sessions = {
  new: "a session's first request",
  kept: "stayed with its session's worker",
  moved: "left its session's worker",
};

function circumstances({ explanation }: ExplainedPick, glyphs: Glyphs): string {
  const { session, aggregatedReason, prefill } = explanation;
  const parts = [
    ...(session === undefined ? [] : [sessions[session]]),
    ...(prefill !== undefined || aggregatedReason === undefined ? [] : [`not split: ${aggregatedReason}`]),
  ];
  return glyphs.shown(parts.join("; "));
}

function choiceRows(title: string, choice: Choice, width: number, glyphs: Glyphs): PanelRow[] {
  const contenders = contendersOf(choice);
  return [
    emptyRow,
    ...(title === "" ? [] : [spansRow({ text: title, style: bold })]),
    ...textRows(choiceText(choice, contenders, glyphs), width),
    ...(choice.chosen === undefined
      ? []
      : textRows(sumText(choice, choice.candidates[choice.chosen], glyphs), width, dim)),
    ...tableRows(candidateColumns(choice, glyphs), contenders, width),
  ];
}

/** The chosen one, the others by cost, and those that were out of the question. */
function contendersOf({ candidates, chosen }: Choice): Contender[] {
  const contenders = candidates.map((candidate, at): Contender => {
    const { terms, pairBlocks } = candidate;
    return { candidate, cost: terms === undefined ? undefined : terms.cost + pairBlocks, isChosen: at === chosen };
  });
  const order = ({ cost, isChosen }: Contender) => (isChosen ? Number.NEGATIVE_INFINITY : (cost ?? Number.MAX_VALUE));
  return contenders.toSorted((a, b) => order(a) - order(b));
}

function choiceText(
  { chosen, candidates, tied, options }: Choice,
  contenders: readonly Contender[],
  glyphs: Glyphs,
): string {
  const eligible = contenders.filter(({ cost }) => cost !== undefined);
  const [first, second] = eligible;
  const out = `${candidates.length - eligible.length} of ${candidates.length} candidates were out of the question`;
  if (chosen === undefined || first === undefined) return `Nobody could be picked: ${out}.`;
  const name = rankName(first.candidate, glyphs);
  const cost = costText(first.cost ?? 0);
  if (second === undefined) return `${name} was the only eligible one of ${candidates.length}.`;
  const other = `${rankName(second.candidate, glyphs)} costs ${costText(second.cost ?? 0)}`;
  const chance = options.temperature > 0 ? `chance decided (temperature ${options.temperature})` : undefined;
  if ((second.cost ?? 0) < (first.cost ?? 0))
    return `${name} costs ${cost} blocks; ${other}: ${chance ?? "its session or the pair outweighs that"}.`;
  if (tied > 1) {
    const rule = chance === undefined ? ` by the tie-break ${glyphs.shown(options.tieBreak)}` : `: ${chance}`;
    return `${tied} candidates cost ${cost} blocks, none less; ${name}${rule}.`;
  }
  return `${name} costs ${cost} blocks, the least of ${eligible.length}; ${other}.`;
}

/** How its cost comes about, as the console's page says it, with this candidate's figures. */
export function sumText(choice: Choice, candidate: CandidateOfChoice | undefined, { times, minus }: Glyphs): string {
  if (candidate?.terms === undefined) return "";
  const { prefillBlocks, creditBlocks, decodeBlocks, requestBlocks, preferenceFactor } = candidate.terms;
  const { prefillLoadScale } = choice.options;
  const scale = prefillLoadScale === 1 ? "" : `${prefillLoadScale} ${times} `;
  const uncredited = (what: string) => `max(0, ${what} ${minus} ${costText(creditBlocks)} cache credit)`;
  const decode = `${costText(decodeBlocks)} decode`;
  const most = isDecodeOnly(choice)
    ? uncredited(decode)
    : `${scale}${uncredited(`${costText(prefillBlocks)} to prefill`)} + ${decode}`;
  const sum = requestBlocks === 0 ? most : `${most} + ${costText(requestBlocks)} requests`;
  const preferred = preferenceFactor === 1 ? sum : `${preferenceFactor.toFixed(3)} preference ${times} (${sum})`;
  const pair = candidate.pairBlocks === 0 ? "" : ` + ${costText(candidate.pairBlocks)} pair`;
  return `It holds ${heldOf(candidate)} of ${wholeBlocks(choice)} blocks. Cost = ${preferred}${pair}`;
}

/** Whether it is the decode half of a split request, where the credit is for what need not be sent. */
function isDecodeOnly({ candidates, phase, options }: Choice): boolean {
  if (phase !== "decode" || options.overlapScoreCredit === 0) return false;
  return candidates.every(({ terms }) => terms === undefined || terms.prefillBlocks === 0);
}

function heldOf({ overlapBlocks: { device, host, disk, sharedCache } }: CandidateOfChoice): number {
  return device + host + disk + sharedCache;
}

/** Blocks of the prompt that can be held: complete ones. */
function wholeBlocks({ promptTokens, blockSize }: Choice): number {
  return Math.floor(promptTokens / blockSize);
}

function candidateColumns(choice: Choice, glyphs: Glyphs): readonly Column<Contender>[] {
  const held = ({ candidate }: Contender) => heldOf(candidate);
  const whole = Math.max(1, wholeBlocks(choice));
  const load =
    (figure: (load: NonNullable<CandidateOfChoice["load"]>) => number) =>
    ({ candidate }: Contender) =>
      candidate.load === undefined ? "?" : shortCount(figure(candidate.load));
  return [
    { title: "", priority: 0, minWidth: 2, text: ({ isChosen }) => (isChosen ? "=>" : "") },
    {
      title: "CANDIDATE",
      priority: 0,
      minWidth: 9,
      maxWidth: 40,
      text: ({ candidate }) => rankName(candidate, glyphs),
      style: ({ cost, isChosen }) => (isChosen ? bold : cost === undefined ? dim : plain),
    },
    {
      title: "COST",
      priority: 1,
      minWidth: 9,
      maxWidth: 18,
      isRight: true,
      text: ({ cost, candidate }) => (cost === undefined ? (candidate.exclusion ?? "-") : costText(cost)),
      style: ({ cost, isChosen }) => (cost === undefined ? dim : isChosen ? green : plain),
    },
    { title: "HELD", priority: 2, minWidth: 5, isRight: true, text: (contender) => shortCount(held(contender)) },
    {
      title: "",
      priority: 6,
      minWidth: 6,
      maxWidth: 16,
      text: (contender, width) => (width === 0 ? " ".repeat(16) : bar(held(contender) / whole, width, glyphs)),
      style: () => cyan,
    },
    { title: "PREFILL", priority: 3, minWidth: 7, isRight: true, text: load(({ prefillTokens }) => prefillTokens) },
    { title: "DECODE", priority: 4, minWidth: 6, isRight: true, text: load(({ decodeBlocks }) => decodeBlocks) },
    { title: "REQ", priority: 5, minWidth: 5, isRight: true, text: load(({ requests }) => requests) },
    { title: "ROLE", priority: 7, minWidth: 10, text: ({ candidate }) => candidate.role },
    { title: "ENDPOINT", priority: 8, minWidth: 21, text: ({ candidate }) => glyphs.shown(candidate.endpoint) },
  ];
}
