import { TemplateRefusal } from "../../template-errors.ts";
import type { NativePieces } from "../native-renderer.ts";
import { type CallMarkup, writtenCalls } from "./call-markup.ts";
import type { Preamble } from "./conversation.ts";
import { formatInstruction, toolsV4 } from "./instructions.ts";
import { tokens } from "./tokens.ts";
import type { V4Turn } from "./v4-turns.ts";

/** How V4 and V4.1 differ in what they write. */
export interface V4Form {
  readonly markup: CallMarkup;
  readonly readArguments: Parameters<typeof writtenCalls>[2];
  /** System turns have a sign of their own, and late ones ask for an answer. */
  readonly marksSystem: boolean;
}

export interface V4Options {
  readonly isThinking: boolean;
  /** Thoughts of earlier answers are left out. */
  readonly dropsThoughts: boolean;
  /** Told first, when the model thinks. */
  readonly effort: string;
  /** Told with the turn at `toldAt`. */
  readonly preamble: Preamble;
  readonly toldAt: number;
  /** The last turn that asks for an answer; -1 without one. */
  readonly lastQuestion: number;
}

/** The prompt of V4 and V4.1 in pieces (dynamo-renderer@8.0.3 deepseek/v4.rs). */
export function v4Pieces(turns: readonly V4Turn[], form: V4Form, options: V4Options): NativePieces {
  const pieces: string[] = [tokens.begin];
  for (const [at, turn] of turns.entries()) {
    const isFirstThought = at === 0 && options.isThinking;
    if (form.marksSystem && (turn.role === "system" || isFirstThought)) pieces.push(tokens.system);
    if (isFirstThought) pieces.push(options.effort);
    writeTurn(pieces, turn, at, form, options);
    const next = turns[at + 1]?.role;
    if (next !== undefined && next !== "assistant") continue;
    if (asksForAnswer(turn, at, form)) pieces.push(tokens.assistant, opening(at, options));
  }
  return { pieces: pieces.filter((piece) => piece !== ""), areSigns: undefined };
}

function asksForAnswer({ role }: V4Turn, at: number, { marksSystem }: V4Form): boolean {
  return role === "user" || role === "developer" || (marksSystem && role === "system" && at > 0);
}

function opening(at: number, { isThinking, dropsThoughts, lastQuestion }: V4Options): string {
  const isOpen = isThinking && (!dropsThoughts || lastQuestion === -1 || at >= lastQuestion);
  return isOpen ? tokens.thinkStart : tokens.thinkEnd;
}

function writeTurn(pieces: string[], turn: V4Turn, at: number, form: V4Form, options: V4Options): void {
  switch (turn.role) {
    case "system":
      pieces.push(turn.content ?? "");
      break;
    case "developer":
      if ((turn.content ?? "") === "") throw new TemplateRefusal();
      pieces.push(tokens.user, turn.content ?? "");
      break;
    case "user":
      pieces.push(tokens.user);
      writeBlocks(pieces, turn);
      break;
    case "assistant":
      writeAnswer(pieces, turn, at, form, options);
      break;
    default:
      throw new TemplateRefusal();
  }
  if (at === options.toldAt) writePreamble(pieces, form, options.preamble);
}

function writePreamble(pieces: string[], { markup }: V4Form, { tools, responseFormat }: Preamble): void {
  if (tools !== undefined && tools.length > 0) pieces.push(`\n\n${toolsV4(tools, markup)}`);
  if (responseFormat !== undefined) pieces.push(`\n\n${formatInstruction(responseFormat)}`);
}

function writeBlocks(pieces: string[], { blocks }: V4Turn): void {
  for (const [at, { isResult, text }] of blocks.entries()) {
    if (at > 0) pieces.push("\n\n");
    if (isResult) pieces.push("<tool_result>", text, "</tool_result>");
    else pieces.push(text);
  }
}

/** Only reasoning in one text is shown; segments are not. */
function writeAnswer(
  pieces: string[],
  { content, reasoning, calls }: V4Turn,
  at: number,
  { markup, readArguments }: V4Form,
  { isThinking, dropsThoughts, lastQuestion }: V4Options,
): void {
  if (isThinking && (!dropsThoughts || lastQuestion === -1 || at > lastQuestion)) {
    pieces.push(typeof reasoning === "string" ? reasoning : "", tokens.thinkEnd);
  }
  pieces.push(content ?? "");
  if (calls.length > 0) pieces.push(`\n\n${writtenCalls(calls, markup, readArguments)}`);
  pieces.push(tokens.end);
}
