import { TemplateRefusal } from "../../template-errors.ts";
import type { NativePieces, NativeRenderer, NativeRequest } from "../native-renderer.ts";
import { isThinking } from "../thinking.ts";
import { refuseUnsupportedMembers } from "../unsupported-members.ts";
import { markupV32, parsedArguments, writtenCalls } from "./call-markup.ts";
import { isList, lastQuestion, type Preamble, type Turn, turnOf, visibleText } from "./conversation.ts";
import { formatInstruction, toolsV32 } from "./instructions.ts";
import { tokens } from "./tokens.ts";

/** DeepSeek V3.2 (dynamo-renderer@8.0.3 deepseek/v32.rs). */
export const deepseekV32: NativeRenderer = {
  render(request) {
    refuseUnsupportedMembers(request);
    const given = request.messages.map((message) => turnOf(message, visibleText));
    const preamble = preambleOf(request);
    const turns = withPreambleTurn(given, preamble);
    return new Prompt(turns, preamble, isThinking(request.templateArgs)).pieces();
  },
};

/** An empty list of tools is told as one. */
function preambleOf({ tools, toolChoice, responseFormat }: NativeRequest): Preamble {
  return { tools: toolChoice === "none" ? undefined : tools, responseFormat };
}

/** The turns with a system turn among them, where there is something to tell. */
function withPreambleTurn(turns: readonly Turn[], { tools, responseFormat }: Preamble): readonly Turn[] {
  const isNeeded = tools !== undefined || responseFormat !== undefined;
  if (!isNeeded || turns.some(({ role }) => role === "system")) return turns;
  return [{ role: "system", content: "", reasoning: undefined, calls: [], callId: "" }, ...turns];
}

class Prompt {
  readonly #turns: readonly Turn[];
  readonly #preamble: Preamble;
  readonly #isThinking: boolean;
  readonly #lastQuestion: number;
  readonly #pieces: string[] = [tokens.begin];
  /** Calls of the last answer, and the results seen since. */
  #calls = 0;
  #results = 0;

  constructor(turns: readonly Turn[], preamble: Preamble, isThinking: boolean) {
    this.#turns = turns;
    this.#preamble = preamble;
    this.#isThinking = isThinking;
    this.#lastQuestion = lastQuestion(turns);
  }

  pieces(): NativePieces {
    const told = this.#turns.findIndex(({ role }) => role === "system");
    for (const [at, turn] of this.#turns.entries()) this.#turn(turn, at, at === told);
    return { pieces: this.#pieces.filter((piece) => piece !== ""), areSigns: undefined };
  }

  #turn(turn: Turn, at: number, isTold: boolean): void {
    switch (turn.role) {
      case "system":
        this.#pieces.push(turn.content ?? "");
        if (isTold) this.#pieces.push(...told(this.#preamble));
        return;
      case "user":
        this.#question(at, turn.content ?? "");
        return;
      case "developer":
        this.#question(at, "\n\n# The user's message is: ", required(turn.content));
        return;
      case "assistant":
        this.#answer(turn, at);
        return;
      case "tool":
        this.#result(turn.content ?? "", at);
        return;
      default:
        throw new TemplateRefusal();
    }
  }

  #question(at: number, ...texts: readonly string[]): void {
    this.#pieces.push(tokens.user, ...texts, tokens.assistant, this.#think(at === this.#lastQuestion));
  }

  #think(isOpen: boolean): string {
    return isOpen && this.#isThinking ? tokens.thinkStart : tokens.thinkEnd;
  }

  #answer({ content, reasoning, calls }: Turn, at: number): void {
    const isLate = this.#lastQuestion !== -1 && at > this.#lastQuestion;
    const thoughts = this.#isThinking && isLate ? thoughtsOf(reasoning) : "";
    if (thoughts !== "") this.#pieces.push(thoughts, tokens.thinkEnd);
    this.#pieces.push(content ?? "");
    if (calls.length > 0) this.#pieces.push(`\n\n${writtenCalls(calls, markupV32, parsedArguments)}`);
    this.#pieces.push(tokens.end);
    this.#calls = calls.length;
    this.#results = 0;
  }

  /** Results are counted from the answer before, whatever stands between; the last one closes their block. */
  #result(content: string, at: number): void {
    if (this.#results === 0) this.#pieces.push("\n\n<function_results>");
    this.#pieces.push("\n<result>", content, "</result>");
    if (++this.#results !== this.#calls) return;
    const isLate = this.#lastQuestion !== -1 && at >= this.#lastQuestion;
    this.#pieces.push("\n</function_results>\n\n", this.#think(isLate));
  }
}

function told({ tools, responseFormat }: Preamble): readonly string[] {
  const texts: string[] = [];
  if (tools !== undefined) texts.push(`\n\n${toolsV32(tools)}`);
  if (responseFormat !== undefined) texts.push(`\n\n${formatInstruction(responseFormat)}`);
  return texts;
}

function thoughtsOf(reasoning: Turn["reasoning"]): string {
  if (typeof reasoning === "string") return reasoning;
  if (!isList(reasoning)) return "";
  return reasoning.filter((segment) => typeof segment === "string" && segment !== "").join("\n");
}

function required(content: string | undefined): string {
  if (content === undefined) throw new TemplateRefusal();
  return content;
}
