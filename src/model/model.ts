import type { ChatParsed, CompletionsParsed } from "../api/index.ts";
import { UnsupportedTemplateError } from "../template/index.ts";
import {
  type CacheBudget,
  loadTokenizer,
  type Tokenizer,
  type TokenizerView,
  UncuttableText,
} from "../tokenizer/index.ts";
import { ChatRenderer } from "./chat-renderer.ts";
import { type CompletionSettings, completionTokens } from "./completion-tokens.ts";
import type { ModelFiles } from "./model-files.ts";
import { ModelLoadError } from "./model-load-error.ts";
import { isRenderedNatively } from "./native-renderers.ts";
import { configModelType, configVocabularySize, type ParsedFiles, parseModelFiles } from "./parsed-files.ts";
import type { Profile } from "./profile.ts";
import { PromptEncoder } from "./prompt-encoder.ts";
import { specialTokenVariables } from "./special-tokens.ts";
import { templateSources } from "./template-source.ts";
import { checkTokenIds } from "./token-bounds.ts";
import { encodedPrompt, exactPrompt, type TokenizedPrompt, unknownPrompt } from "./tokenized-prompt.ts";

/** About 5 ms of text. */
const maxUncutUnits = 65_536;

export interface ModelOptions {
  readonly name: string;
  readonly profile: Profile;
  /** Tokens a KV block. */
  readonly blockSize: number;
  /**
   * Longest prompt that is tokenized, in UTF-16 units; a longer one is routed by load. Default 4 000 000, about a million tokens
   * and 3 s on the thread pool.
   */
  readonly maxPromptLength?: number;
  /** Whose reading of the tokenizer's files counts. Default: the profile's. */
  readonly tokenizerView?: TokenizerView;
  /** Memory for the text met lately; give one to several models to bound them together. Default: 256 MiB of its own. */
  readonly cache?: CacheBudget;
}

/** One served model: from what a client sent to the tokens that its backend will compute. */
export class Model {
  readonly name: string;
  readonly profile: Profile;
  readonly blockSize: number;
  readonly #settings: CompletionSettings;
  /** Undefined when this model's prompts cannot be rendered; the reason is in `#noChatReason`. */
  readonly #chat: ChatRenderer | undefined;
  readonly #noChatReason: string;

  private constructor(options: ModelOptions, parsed: ParsedFiles, tokenizer: Tokenizer, files: ModelFiles) {
    this.name = options.name;
    this.profile = options.profile;
    this.blockSize = options.blockSize;
    this.#settings = {
      profile: options.profile,
      encoder: new PromptEncoder(tokenizer, options.profile),
      idBound: Math.max(configVocabularySize(parsed.config), tokenizer.vocabularySize),
      maxPromptLength: options.maxPromptLength ?? 4_000_000,
    };
    const isNative = options.profile.name === "dynamo" && isRenderedNatively(parsed.config, options.name);
    this.#noChatReason = isNative ? "the backend renders this model without its template" : "no chat template";
    this.#chat = isNative ? undefined : chatRenderer(options.profile, files, parsed);
  }

  /**
   * Loads tokenizer and chat template; takes about a second and blocks the thread meanwhile.
   * @throws ModelLoadError naming the file that cannot be used
   */
  static async load(options: ModelOptions, files: ModelFiles): Promise<Model> {
    const parsed = parseModelFiles(files);
    return new Model(options, parsed, await loadedTokenizer(options, files, parsed), files);
  }

  /**
   * Tokens of a request, as far as they can be known.
   * @throws RoutingError `invalid_request` when the template refuses the messages, or token ids are not the model's
   */
  async tokenize(request: ChatParsed | CompletionsParsed): Promise<TokenizedPrompt> {
    try {
      if (request.api === "completions") return await completionTokens(request, this.#settings);
      return await this.#tokenizeChat(request);
    } catch (error) {
      if (error instanceof UncuttableText) return unknownPrompt("text without a place to cut it");
      throw error;
    }
  }

  async #tokenizeChat({ chat, extensions }: ChatParsed): Promise<TokenizedPrompt> {
    const rendered = this.#render(chat);
    const given = this.profile.injectsTokens ? extensions.tokenData : undefined;
    if (given !== undefined) {
      checkTokenIds(given, this.#settings.idBound, "nvext.token_data");
      return exactPrompt(given, false);
    }
    if ("inexactReason" in rendered) return unknownPrompt(rendered.inexactReason);
    const encoded = await this.#settings.encoder.encodePieces(rendered.pieces, false);
    // Tokens that stand for media are expanded behind the frontend, which takes the prompt with its placeholders from the body.
    return encodedPrompt(encoded, !chat.hasMedia, rendered.pieces);
  }

  /** Renders also what is not tokenized in the end: the backend refuses a bad conversation either way. */
  #render(chat: ChatParsed["chat"]): { readonly pieces: readonly string[] } | { readonly inexactReason: string } {
    if (this.#chat?.canRender(chat) !== true) return { inexactReason: this.#noChatReason };
    try {
      const pieces = this.#chat.render(chat);
      if (chat.hasMedia && this.profile.name !== "dynamo") return { inexactReason: "media" };
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      if (length > this.#settings.maxPromptLength) return { inexactReason: "prompt too long to tokenize" };
      return { pieces };
    } catch (error) {
      if (!(error instanceof UnsupportedTemplateError)) throw error;
      return { inexactReason: `chat template: ${error.message}` };
    }
  }
}

async function loadedTokenizer(
  { profile, tokenizerView, cache }: ModelOptions,
  files: ModelFiles,
  parsed: ParsedFiles,
): Promise<Tokenizer> {
  const modelType = configModelType(parsed.config);
  try {
    return await loadTokenizer(files.tokenizerJson, parsed.tokenizerConfig, {
      view: tokenizerView ?? profile.tokenizerView,
      ...(cache === undefined ? {} : { cache }),
      ...(modelType === undefined ? {} : { modelType }),
      maxUncutUnits,
    });
  } catch (cause) {
    throw new ModelLoadError(`tokenizer.json: ${messageOf(cause)}`, { cause });
  }
}

function chatRenderer(profile: Profile, files: ModelFiles, parsed: ParsedFiles): ChatRenderer | undefined {
  const sources = templateSources(files, parsed);
  if (sources.default === undefined && sources.toolUse === undefined) return undefined;
  const variables = specialTokenVariables(parsed.tokenizerConfig, profile.templateDialect === "dynamo");
  try {
    return new ChatRenderer(profile, sources, variables);
  } catch (cause) {
    throw new ModelLoadError(`chat template: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause);
}
