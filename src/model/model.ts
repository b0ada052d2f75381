import type { ChatParsed, CompletionsParsed, EngineTraits } from "../api/index.ts";
import { nativePrompt, UnsupportedTemplateError } from "../template/index.ts";
import {
  type CacheBudget,
  type EncodedPrompt,
  exactTokenizer,
  type PromptHead,
  type Tokenizer,
  UncuttableText,
} from "../tokenizer/index.ts";
import { ChatRenderer, type TemplateSettings } from "./chat-renderer.ts";
import type { RenderedChat } from "./chat-strategy.ts";
import { type CompiledModel, type CompileOptions, compileModel, officialTokenizer } from "./compiled-model.ts";
import { type CompletionSettings, completionTokens } from "./completion-tokens.ts";
import type { FrontendSettings } from "./frontend-settings.ts";
import type { ModelFiles } from "./model-files.ts";
import { ModelLoadError } from "./model-load-error.ts";
import { alwaysReasons } from "./open-reasoning.ts";
import type { Profile } from "./profile.ts";
import { PromptEncoder } from "./prompt-encoder.ts";
import { ScoringPrompts } from "./scoring-prompts.ts";
import type { SecondReading } from "./second-reading.ts";
import { segmentTokens } from "./segment-tokens.ts";
import { templateVariables } from "./template-args.ts";
import { textInBody } from "./text-in-body.ts";
import { checkTokenIds } from "./token-bounds.ts";
import {
  deferredPrompt,
  encodedPrompt,
  exactPrompt,
  noEngineReason,
  type TokenizedPrompt,
  unknownPrompt,
} from "./tokenized-prompt.ts";

const uncutReason = "text without a place to cut it";
const readTwiceReason = "the engine tokenizes a multimodal model's prompt twice";

/** A prompt's text, or why it is not known. */
type Rendered = RenderedChat | { readonly inexactReason: string };

/** Follows the parts of the work on one prompt. */
export interface TokenizeStages {
  during<T>(stage: "render" | "tokenize", work: () => T): T;
}

export interface ModelOptions extends CompileOptions {
  /** Tokens a KV block. */
  readonly blockSize: number;
  /** Longest prompt that is tokenized, in UTF-16 units; a longer one is routed by load. Default 4 000 000, about a million tokens. */
  readonly maxPromptLength?: number;
  /** What its workers tell their Dynamo frontend. Default: nothing. */
  readonly frontend?: FrontendSettings;
  /** How its chat templates are rendered. */
  readonly templateSettings?: TemplateSettings;
  /** Longest text without a place to cut it that is tokenized, in UTF-16 units: it holds the thread meanwhile. Default: no bound. */
  readonly maxUncutUnits?: number;
  /** Whether a prompt with a longer one is deferred; otherwise it is routed by load. Default false. */
  readonly defersUncut?: boolean;
  /** Memory for the text met lately; give one to several models to bound them together. Default: 256 MiB of its own. */
  readonly cache?: CacheBudget;
}

/** One served model: from what a client sent to the tokens that its backend will compute. */
export class Model {
  readonly name: string;
  readonly profile: Profile;
  readonly blockSize: number;
  /** What an engine's reading of requests depends on; undefined behind a frontend that is no engine. */
  readonly engine: EngineTraits | undefined;
  /** Prompts whose next token is scored; undefined where their tokens cannot be known, or the model always thinks first. */
  readonly scoring: ScoringPrompts | undefined;
  readonly #settings: CompletionSettings;
  readonly #tokenizer: Tokenizer | undefined;
  /** Undefined when this model has no chat template. */
  readonly #chat: ChatRenderer | undefined;
  readonly #noChatReason: string;
  /** Why no text of this model has known tokens; undefined when they have. */
  readonly #noTextReason: string | undefined;
  readonly #secondReading: SecondReading | undefined;
  readonly #bosToken: string | undefined;
  readonly #specialTexts: readonly string[];
  /** What is known of a prompt with a text that is not encoded here. */
  readonly #uncut: TokenizedPrompt;

  /**
   * Takes a few milliseconds.
   * @param tokenizer undefined: every text is deferred
   * @throws ModelLoadError when the chat template cannot be used
   */
  constructor(options: ModelOptions, compiled: CompiledModel, tokenizer: Tokenizer | undefined) {
    this.name = options.name;
    this.profile = options.profile;
    this.blockSize = options.blockSize;
    this.#tokenizer = tokenizer;
    this.#uncut = options.defersUncut === true ? deferredPrompt(uncutReason) : unknownPrompt(uncutReason);
    this.#settings = {
      profile: options.profile,
      encoder: tokenizer === undefined ? undefined : new PromptEncoder(tokenizer, options.profile),
      idBound: compiled.idBound,
      maxPromptLength: options.maxPromptLength ?? 4_000_000,
    };
    this.engine = compiled.engine;
    this.#chat = chatRenderer(options, compiled);
    this.#noTextReason = compiled.unknown.text;
    this.#noChatReason = compiled.unknown.text ?? compiled.unknown.chat ?? "no chat template";
    this.#secondReading = compiled.secondReading;
    this.#bosToken = compiled.bosToken;
    this.#specialTexts = compiled.specialTexts;
    this.scoring = this.#scoringPrompts(options);
  }

  /** A model with the exact engine; one whose tokenizer that does not know defers every text. @throws ModelLoadError */
  static fromCompiled(options: ModelOptions, compiled: CompiledModel): Model {
    const { tokenizer } = compiled;
    const { dropsNul } = options.profile;
    const engine = tokenizer === undefined ? undefined : exactTokenizer(tokenizer, { ...options, dropsNul });
    return new Model(options, compiled, engine);
  }

  /**
   * A model that defers nothing for want of an engine; takes about a second and blocks the thread meanwhile.
   * @throws ModelLoadError naming the file that cannot be used
   */
  static async load(options: ModelOptions, files: ModelFiles): Promise<Model> {
    const compiled = compileModel(options, files);
    return compiled.tokenizer === undefined
      ? new Model(options, compiled, officialTokenizer(options, files))
      : Model.fromCompiled(options, compiled);
  }

  /** Whether texts are tokenized here at all. */
  get hasEngine(): boolean {
    return this.#tokenizer !== undefined;
  }

  #scoringPrompts({ frontend, reasoningParser }: ModelOptions): ScoringPrompts | undefined {
    const { encoder } = this.#settings;
    const chat = this.#chat;
    if (chat === undefined || encoder === undefined) return undefined;
    if (alwaysReasons(frontend?.reasoningParser) || alwaysReasons(reasoningParser)) return undefined;
    return new ScoringPrompts({ chat, encoder, specialTexts: this.#specialTexts });
  }

  /** Takes over the head of a prompt that was tokenized by another object of the same model. */
  remember(head: PromptHead, tokenIds: Uint32Array): void {
    this.#tokenizer?.remember(head, tokenIds);
  }

  /**
   * Tokens of a request, as far as they can be known: at once where the text is known or short.
   * @param stages follows the parts of the work; undefined = nobody does
   * @throws RoutingError `invalid_request` when the template refuses the messages, or token ids are not the model's
   */
  tokenize(
    request: ChatParsed | CompletionsParsed,
    stages?: TokenizeStages,
  ): TokenizedPrompt | Promise<TokenizedPrompt> {
    try {
      const prompt = this.#tokenize(request, stages);
      return prompt instanceof Promise ? prompt.catch((error) => this.#uncutOr(error)) : prompt;
    } catch (error) {
      return this.#uncutOr(error);
    }
  }

  #tokenize(request: ChatParsed | CompletionsParsed, stages: TokenizeStages | undefined) {
    if (request.api === "completions") {
      const work = () => this.#tokenizeCompletion(request);
      return stages === undefined ? work() : stages.during("tokenize", work);
    }
    const render = () => this.#render(request.chat);
    const rendered = stages === undefined ? render() : stages.during("render", render);
    const work = () => this.#tokenizeChat(request, rendered);
    return stages === undefined ? work() : stages.during("tokenize", work);
  }

  #uncutOr(error: unknown): TokenizedPrompt {
    if (error instanceof UncuttableText) return this.#uncut;
    throw error;
  }

  #tokenizeCompletion(request: CompletionsParsed): TokenizedPrompt | Promise<TokenizedPrompt> {
    const { kind } = request.prompt;
    if (this.#noTextReason !== undefined && (kind === "text" || kind === "texts"))
      return unknownPrompt(this.#noTextReason);
    return completionTokens(request, this.#settings);
  }

  #tokenizeChat(
    { api, chat, extensions, root }: ChatParsed,
    rendered: Rendered,
  ): TokenizedPrompt | Promise<TokenizedPrompt> {
    const given = this.profile.injectsTokens ? extensions.tokenData : undefined;
    if (given !== undefined) {
      checkTokenIds(given, this.#settings.idBound, "nvext.token_data");
      return exactPrompt(given, false);
    }
    if ("inexactReason" in rendered) return unknownPrompt(rendered.inexactReason);
    const { encoder } = this.#settings;
    if (encoder === undefined) return deferredPrompt(noEngineReason);
    if (this.#isReadTwice(api)) return this.#tokenizeTwice(rendered, encoder);
    if (rendered.areSigns !== undefined) return this.#tokenizeSegments(rendered, encoder, !chat.hasMedia);
    const encoded = encoder.encodePieces(rendered.pieces, chat.addSpecialTokens, (text) => textInBody(root, text));
    const finish = (prompt: EncodedPrompt) => {
      if (rendered.continuation !== undefined) return this.#continued(prompt.ids, rendered, encoder);
      // Tokens that stand for media are expanded behind the frontend, which takes the prompt with its placeholders from the body.
      return encodedPrompt(prompt, !chat.hasMedia, rendered.pieces);
    };
    return encoded instanceof Promise ? encoded.then(finish) : finish(encoded);
  }

  #isReadTwice(api: ChatParsed["api"]): boolean {
    return this.#secondReading !== undefined && (api === "responses" || !this.#secondReading.sparesChat);
  }

  /** What counts is the second reading, of the whole text, with special tokens. */
  async #tokenizeTwice({ pieces, continuation }: RenderedChat, encoder: PromptEncoder): Promise<TokenizedPrompt> {
    if (this.#secondReading?.isExact !== true) return unknownPrompt(readTwiceReason);
    const whole = continuation === undefined ? pieces : [...pieces, continuation];
    return encodedPrompt(await encoder.encodePieces(whole, true), false, whole);
  }

  /** Text behind the prompt is tokenized alone, its BOS left out. */
  async #continued(
    promptIds: Uint32Array,
    { pieces, continuation = "" }: RenderedChat,
    encoder: PromptEncoder,
  ): Promise<TokenizedPrompt> {
    const { ids } = await encoder.encodePieces([continuation], true);
    const tail = ids[0] === (await this.#bosId(encoder)) ? ids.subarray(1) : ids;
    const whole = new Uint32Array(promptIds.length + tail.length);
    whole.set(promptIds);
    whole.set(tail, promptIds.length);
    return { ...exactPrompt(whole, false), pieces: [...pieces, continuation] };
  }

  /** Undefined when the model declares none. */
  async #bosId(encoder: PromptEncoder): Promise<number | undefined> {
    if (this.#bosToken === undefined) return undefined;
    const { ids } = await encoder.encodePieces([this.#bosToken], false);
    return ids.length === 1 ? ids[0] : undefined;
  }

  async #tokenizeSegments(
    rendered: RenderedChat,
    encoder: PromptEncoder,
    injectable: boolean,
  ): Promise<TokenizedPrompt> {
    const ids = await segmentTokens(rendered, encoder, this.#specialTexts);
    if (ids === undefined) return unknownPrompt("text that looks like a token of the model");
    return { ...exactPrompt(ids, injectable), pieces: rendered.pieces };
  }

  /** Renders also what is not tokenized in the end: the backend refuses a bad conversation either way. */
  #render(chat: ChatParsed["chat"]): Rendered {
    if (this.#chat?.canRender(chat) !== true) return { inexactReason: this.#noChatReason };
    try {
      const rendered = this.#chat.render(chat);
      const length = rendered.pieces.reduce((sum, piece) => sum + piece.length, rendered.continuation?.length ?? 0);
      if (length > this.#settings.maxPromptLength) return { inexactReason: "prompt too long to tokenize" };
      return rendered;
    } catch (error) {
      if (!(error instanceof UnsupportedTemplateError)) throw error;
      return { inexactReason: `chat template: ${error.message}` };
    }
  }
}

function chatRenderer(
  { profile, templateSettings: settings, frontend }: ModelOptions,
  compiled: CompiledModel,
): ChatRenderer | undefined {
  const { templates, variables, nativeFamily } = compiled;
  if (compiled.unknown.chat !== undefined || compiled.unknown.text !== undefined) return undefined;
  const native = nativeFamily === undefined ? undefined : nativePrompt(nativeFamily);
  const hasNone = native === undefined && templates.default === undefined && templates.toolUse === undefined;
  if (hasNone && templates.refusesOthers !== true && compiled.engine?.usesHarmony !== true) return undefined;
  try {
    return new ChatRenderer(profile, templates, templateVariables(variables), { ...settings, frontend, native });
  } catch (cause) {
    throw new ModelLoadError(`chat template: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
