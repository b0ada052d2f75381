import type { ChatRequest } from "../api/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import { type ChatTemplate, compileTemplate, type NativePrompt } from "../template/index.ts";
import type { ChatStrategy, RenderedChat, Variables } from "./chat-strategy.ts";
import { contentForm, plainContent } from "./content-shape.ts";
import { DynamoChat } from "./dynamo-chat.ts";
import { EngineChat } from "./engine-chat.ts";
import { cutAtFinalMessage, markFinalMessage } from "./final-message.ts";
import type { Profile } from "./profile.ts";
import { bareProbe, templateProbe } from "./template-probe.ts";
import type { TemplateSources } from "./template-source.ts";
import { withThinkingAliases } from "./thinking-args.ts";

interface PreparedTemplate {
  readonly template: ChatTemplate;
  readonly strategy: ChatStrategy;
}

const probeTool = JsonObject.from([
  ["type", "function"],
  [
    "function",
    JsonObject.from([
      ["name", "probe"],
      ["description", ""],
      [
        "parameters",
        JsonObject.from([
          ["type", "object"],
          ["properties", JsonObject.from([])],
        ]),
      ],
    ]),
  ],
]);

/** Turns conversations into prompts, as one backend does it for one model. */
export class ChatRenderer {
  readonly #profile: Profile;
  readonly #native: NativePrompt | undefined;
  readonly #plain: PreparedTemplate | undefined;
  readonly #withTools: PreparedTemplate | undefined;

  /**
   * @param native renders in place of the templates, where given
   * @throws UnsupportedTemplateError when a template cannot be parsed
   */
  constructor(profile: Profile, sources: TemplateSources, variables: Variables, native?: NativePrompt) {
    this.#profile = profile;
    this.#native = native;
    const { plain, withTools } = native === undefined ? prepare(profile, sources, variables) : none;
    this.#plain = plain;
    this.#withTools = withTools;
  }

  /** The model has a template for a conversation with, or without, tools. */
  canRender(chat: ChatRequest): boolean {
    return this.#native !== undefined || this.#templateFor(this.#visibleTools(chat)) !== undefined;
  }

  /**
   * The prompt of a conversation, in pieces: what is long in one is the string of the message itself. Call it only when `canRender`.
   * @throws RoutingError when the backend would refuse the messages
   * @throws UnsupportedTemplateError when the prompt cannot be known
   */
  render(chat: ChatRequest): RenderedChat {
    if (!chat.continueFinalMessage) return this.#render(chat);
    return cutAtFinalMessage(this.#render({ ...chat, messages: markFinalMessage(chat.messages) }));
  }

  #render(chat: ChatRequest): RenderedChat {
    if (this.#native !== undefined) {
      return this.#native.renderPieces({ ...chat, templateArgs: withThinkingAliases(chat.templateArgs) });
    }
    const tools = this.#visibleTools(chat);
    const prepared = this.#templateFor(tools);
    if (prepared === undefined) throw new TypeError("no template for this conversation");
    const { template, strategy } = prepared;
    const pieces = template.renderPieces(strategy.context(chat, strategy.shape(chat.messages), tools));
    return { pieces, areSigns: undefined };
  }

  #visibleTools({ tools, toolChoice }: ChatRequest): readonly JsonObject[] | undefined {
    return toolChoice === "none" && this.#profile.hidesToolsOnChoiceNone ? undefined : tools;
  }

  #templateFor(tools: readonly JsonObject[] | undefined): PreparedTemplate | undefined {
    return tools !== undefined && tools.length > 0 ? this.#withTools : this.#plain;
  }
}

interface PreparedTemplates {
  readonly plain: PreparedTemplate | undefined;
  readonly withTools: PreparedTemplate | undefined;
}

const none: PreparedTemplates = { plain: undefined, withTools: undefined };

function prepare(profile: Profile, sources: TemplateSources, variables: Variables): PreparedTemplates {
  const compiled = (source: string | undefined) =>
    source === undefined ? undefined : compileTemplate(source, { dialect: profile.templateDialect });
  const plain = compiled(sources.default);
  const withTools = sources.toolUse === sources.default ? plain : compiled(sources.toolUse);
  if (profile.templateDialect === "dynamo") return prepareForDynamo(plain, withTools, variables);
  const prepared = (template: ChatTemplate | undefined) =>
    template === undefined ? undefined : { template, strategy: new EngineChat(template, variables) };
  return { plain: prepared(plain), withTools: prepared(withTools) };
}

function prepareForDynamo(
  plain: ChatTemplate | undefined,
  withTools: ChatTemplate | undefined,
  variables: Variables,
): PreparedTemplates {
  const form = plain === undefined ? plainContent : contentForm(plain.source, bareProbe(plain));
  const prepared = (template: ChatTemplate | undefined, tools: JsonValue): PreparedTemplate | undefined => {
    if (template === undefined) return undefined;
    const probe = templateProbe(template, variables, tools);
    return { template, strategy: new DynamoChat(template, variables, form, probe) };
  };
  return { plain: prepared(plain, null), withTools: prepared(withTools, [probeTool]) };
}
