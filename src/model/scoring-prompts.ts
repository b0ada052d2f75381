import type { ChatRequest } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import { JsonObject } from "../json/index.ts";
import { UnsupportedTemplateError } from "../template/index.ts";
import { UncuttableText } from "../tokenizer/index.ts";
import type { ChatRenderer } from "./chat-renderer.ts";
import type { RenderedChat } from "./chat-strategy.ts";
import { endsInReasoning } from "./open-reasoning.ts";
import type { PromptEncoder } from "./prompt-encoder.ts";
import { segmentTokens } from "./segment-tokens.ts";

/** The model cannot be asked this: its template or its tokenizer does not allow it. The message holds nothing of the prompt. */
export class UnscorablePromptError extends Error {
  override readonly name = "UnscorablePromptError";
}

/** A prompt that ends where the model's answer begins. */
export interface ScoringPrompt {
  readonly tokenIds: Uint32Array;
  /** Its text. */
  readonly pieces: readonly string[];
}

/** What scoring prompts are made with. */
export interface ScoringPromptParts {
  readonly chat: ChatRenderer;
  readonly encoder: PromptEncoder;
  /** What the tokenizer takes for a token of its own, where a prompt has parts in which that counts as text; else empty. */
  readonly specialTexts: readonly string[];
}

/** Every name under which templates know the switch. */
const thinkingOff = JsonObject.from([
  ["thinking", false],
  ["enable_thinking", false],
  ["thinking_mode", "disabled"],
]);

/** Tokens that are encoded between two turns of the event loop. */
const tokensPerTurn = 65_536;

/** Prompts whose next token is one of a few labels: one user message, thinking off. */
export class ScoringPrompts {
  readonly #parts: ScoringPromptParts;

  constructor(parts: ScoringPromptParts) {
    this.#parts = parts;
  }

  /**
   * @param content of the user message; its last line is in the prompt once, as it stands
   * @throws UnscorablePromptError by rejecting
   */
  async prompt(content: string): Promise<ScoringPrompt> {
    const { encoder, specialTexts } = this.#parts;
    const rendered = this.#render(content);
    checkTail(rendered.pieces.join(""), content);
    const ids = await this.#encode(rendered.pieces);
    if (rendered.areSigns !== undefined) {
      const bySegments = await segmentTokens(rendered, encoder, specialTexts);
      if (!isSame(ids, bySegments))
        throw new UnscorablePromptError("the prompt's text has other tokens than its parts");
    }
    return { tokenIds: ids, pieces: rendered.pieces };
  }

  /**
   * The one token that each label adds to a prompt. Waits for other work between labels.
   * @throws UnscorablePromptError by rejecting: for a label of several tokens, or that changes the tokens before it, and for equal tokens
   */
  async labelIds({ pieces, tokenIds }: ScoringPrompt, labels: readonly string[]): Promise<readonly number[]> {
    const labelIds: number[] = [];
    let sinceTurn = 0;
    for (const label of labels) {
      const ids = await this.#encode([...pieces, label]);
      const id = ids.at(-1);
      if (id === undefined || ids.length !== tokenIds.length + 1 || !isSame(ids.subarray(0, -1), tokenIds)) {
        throw new UnscorablePromptError(`the label ${label} is not one token`);
      }
      labelIds.push(id);
      sinceTurn += ids.length;
      if (sinceTurn < tokensPerTurn) continue;
      sinceTurn = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (new Set(labelIds).size < labelIds.length) throw new UnscorablePromptError("two labels are the same token");
    return labelIds;
  }

  async #encode(pieces: readonly string[]): Promise<Uint32Array> {
    try {
      return (await this.#parts.encoder.encodePieces(pieces, false)).ids;
    } catch (cause) {
      if (!(cause instanceof UncuttableText)) throw cause;
      throw new UnscorablePromptError("text without a place to cut it", { cause });
    }
  }

  #render(content: string): RenderedChat {
    const chat = chatOf(content);
    if (!this.#parts.chat.canRender(chat)) throw new UnscorablePromptError("no chat template");
    try {
      return this.#parts.chat.render(chat);
    } catch (cause) {
      const isRefusal = cause instanceof RoutingError || cause instanceof UnsupportedTemplateError;
      if (!isRefusal) throw cause;
      throw new UnscorablePromptError("the chat template cannot render the message", { cause });
    }
  }
}

function chatOf(content: string): ChatRequest {
  const message = JsonObject.from([
    ["role", "user"],
    ["content", content],
  ]);
  return {
    messages: [message],
    tools: undefined,
    toolChoice: undefined,
    responseFormat: undefined,
    templateArgs: thinkingOff,
    addGenerationPrompt: true,
    continueFinalMessage: false,
    addSpecialTokens: false,
    hasMedia: false,
  };
}

/** What the template puts behind the message must not make the model think first. */
function checkTail(prompt: string, content: string): void {
  const lastLine = content.slice(content.lastIndexOf("\n") + 1);
  const at = prompt.lastIndexOf(lastLine);
  if (at === -1) throw new UnscorablePromptError("the chat template does not print the message");
  if (endsInReasoning(prompt.slice(at + lastLine.length))) {
    throw new UnscorablePromptError("the chat template leaves a reasoning block open");
  }
}

function isSame(one: Uint32Array, other: Uint32Array | undefined): boolean {
  if (other === undefined || one.length !== other.length) return false;
  for (let at = 0; at < one.length; at++) if (one[at] !== other[at]) return false;
  return true;
}
