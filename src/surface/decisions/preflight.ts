import { DecisionError, type DecisionRequest, renderQuestion, structuredText } from "../../decisions/index.ts";
import { type ScoringModel, UnscorablePromptError } from "../../router/index.ts";
import type { DecisionOptions } from "./options.ts";

type ScoringPrompt = Awaited<ReturnType<ScoringModel["prompts"]["prompt"]>>;

/** One question, ready to be asked. */
export interface Branch {
  readonly promptIds: Uint32Array;
  /** In the order of the question's candidates. */
  readonly labelIds: readonly number[];
}

/** A question with its prompt. */
interface Rendered {
  readonly name: string;
  readonly prompt: ScoringPrompt;
  readonly labels: readonly string[];
}

export type PreflightLimits = Pick<
  DecisionOptions,
  "maxInputTokens" | "maxPromptBytes" | "maxTextBytes" | "maxLabelWork"
>;

/** Text that is made a prompt between two turns of the event loop, in UTF-16 units. */
const unitsPerTurn = 262_144;

/**
 * Prompts and label tokens of all questions: nothing is asked before all of them can be.
 * @throws DecisionError invalid_request by rejecting, or the signal's reason
 */
export async function preflight(
  request: DecisionRequest,
  prompts: ScoringModel["prompts"],
  limits: PreflightLimits,
  signal: AbortSignal,
): Promise<readonly Branch[]> {
  const rendered = await renderAll(request, prompts, limits, signal);
  checkLabelWork(rendered, limits);
  const branches: Branch[] = [];
  for (const { name, prompt, labels } of rendered) {
    signal.throwIfAborted();
    const labelIds = await translated(name, () => prompts.labelIds(prompt, labels));
    branches.push({ promptIds: prompt.tokenIds, labelIds });
  }
  return branches;
}

async function renderAll(
  { input, questions }: DecisionRequest,
  prompts: ScoringModel["prompts"],
  limits: PreflightLimits,
  signal: AbortSignal,
): Promise<readonly Rendered[]> {
  const text = structuredText(input);
  checkPromptBytes(text.length, limits);
  const inputBytes = Buffer.byteLength(text);
  const rendered: Rendered[] = [];
  let bytes = 0;
  let tokens = 0;
  let sinceTurn = 0;
  for (const question of questions) {
    signal.throwIfAborted();
    const { content, labels } = renderQuestion(text, question);
    checkPromptBytes(content.length, limits);
    // The input is measured once: its text is in every content.
    const contentBytes = inputBytes + Buffer.byteLength(content.slice(text.length));
    checkPromptBytes(contentBytes, limits);
    bytes += contentBytes;
    checkTextBytes(bytes, limits);
    sinceTurn += content.length;
    if (sinceTurn > unitsPerTurn) {
      sinceTurn = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    const name = JSON.stringify(question.id ?? "unnamed");
    const prompt = await translated(name, () => prompts.prompt(content));
    tokens += prompt.tokenIds.length;
    checkTokens(tokens, limits);
    rendered.push({ name, labels, prompt });
  }
  return rendered;
}

/** @param bytes at most as many as the prompt's content has */
function checkPromptBytes(bytes: number, { maxPromptBytes }: PreflightLimits): void {
  if (bytes > maxPromptBytes) {
    throw invalid(`a prompt of the request has over ${maxPromptBytes} bytes of text; that is the System One limit`);
  }
}

function checkTextBytes(bytes: number, { maxTextBytes }: PreflightLimits): void {
  if (bytes > maxTextBytes) {
    throw invalid(`request expands to over ${maxTextBytes} bytes of prompts; that is the System One limit`);
  }
}

/** @param tokens of the prompts so far: those beyond the limit are not made */
function checkTokens(tokens: number, { maxInputTokens }: PreflightLimits): void {
  if (tokens > maxInputTokens) {
    throw invalid(`request expands to ${tokens} prompt tokens; the System One limit is ${maxInputTokens}`);
  }
}

function checkLabelWork(rendered: readonly Rendered[], { maxLabelWork }: PreflightLimits): void {
  const work = rendered.reduce((sum, { prompt, labels }) => sum + prompt.tokenIds.length * (labels.length + 2), 0);
  if (work > maxLabelWork) {
    throw invalid(`request needs ${work} steps to find its label tokens; the System One limit is ${maxLabelWork}`);
  }
}

/** @param name of the question, in quotes */
async function translated<T>(name: string, make: () => Promise<T>): Promise<T> {
  try {
    return await make();
  } catch (cause) {
    throw cause instanceof UnscorablePromptError ? unrenderable(name, cause) : cause;
  }
}

function unrenderable(name: string, cause: unknown): DecisionError {
  const message = `question ${name}: tokenizer or chat template could not render this request`;
  return new DecisionError("invalid_request", message, { cause });
}

function invalid(message: string): DecisionError {
  return new DecisionError("invalid_request", message);
}
