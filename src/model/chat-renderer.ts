import type { ChatRequest } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import {
  type ChatTemplate,
  compileTemplate,
  type NativePrompt,
  type TemplateOptions,
  UnsupportedTemplateError,
} from "../template/index.ts";
import type { ChatStrategy, RenderedChat, Variables } from "./chat-strategy.ts";
import { contentForm, plainContent } from "./content-shape.ts";
import { DynamoChat, type DynamoChatParts } from "./dynamo-chat.ts";
import { SglangChat } from "./engine-sglang.ts";
import { sglangReasoningMode } from "./engine-sglang-reasoning.ts";
import { VllmChat } from "./engine-vllm.ts";
import { type FrontendSettings, showsTools } from "./frontend-settings.ts";
import { HarmonyChat } from "./harmony-chat.ts";
import { NativeChat } from "./native-chat.ts";
import type { Profile } from "./profile.ts";
import { bareProbe, templateProbe } from "./template-probe.ts";
import type { TemplateSources } from "./template-source.ts";
import { UnknownChat } from "./unknown-chat.ts";

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

interface Strategies {
  readonly plain: ChatStrategy | undefined;
  readonly withTools: ChatStrategy | undefined;
}

/** How templates are rendered. */
export type TemplateSettings = Pick<TemplateOptions, "limits" | "timeZone">;

interface RendererOptions extends TemplateSettings {
  /** What a Dynamo frontend knows of the model. Default: nothing. */
  readonly frontend?: FrontendSettings | undefined;
  /** Renders in place of the templates, where given. */
  readonly native?: NativePrompt | undefined;
}

/** Turns conversations into prompts, as one backend does it for one model. */
export class ChatRenderer {
  readonly #strategies: Strategies;
  readonly #harmony: ChatStrategy | undefined;
  readonly #frontend: FrontendSettings;

  /**
   * @throws UnsupportedTemplateError when a template cannot be parsed
   */
  constructor(
    profile: Profile,
    sources: TemplateSources,
    variables: Variables,
    { native, frontend = {}, ...settings }: RendererOptions = {},
  ) {
    this.#frontend = frontend;
    this.#strategies =
      native === undefined
        ? prepare(profile, sources, { variables, frontend }, settings)
        : always(new NativeChat(native, frontend));
    this.#harmony = profile.name === "dynamo" ? undefined : new HarmonyChat(profile.name, settings.timeZone);
  }

  /** The model has a template for a conversation with, or without, tools. */
  canRender(chat: ChatRequest): boolean {
    return this.#strategyFor(chat) !== undefined;
  }

  /**
   * Renders a conversation. Call it only when `canRender`.
   * @throws RoutingError when the backend would refuse the messages
   * @throws UnsupportedTemplateError when the prompt cannot be known
   */
  render(chat: ChatRequest): RenderedChat {
    const strategy = this.#strategyFor(chat);
    if (strategy === undefined) throw new TypeError("no template for this conversation");
    return strategy.render(chat);
  }

  #strategyFor(chat: ChatRequest): ChatStrategy | undefined {
    if (chat.harmony !== undefined) return this.#harmony;
    return showsTools(chat, this.#frontend) ? this.#strategies.withTools : this.#strategies.plain;
  }
}

function always(strategy: ChatStrategy): Strategies {
  return { plain: strategy, withTools: strategy };
}

function prepare(
  profile: Profile,
  sources: TemplateSources,
  { variables, frontend }: { readonly variables: Variables; readonly frontend: FrontendSettings },
  settings: TemplateSettings,
): Strategies {
  const compiled = (source: string | undefined) =>
    source === undefined ? undefined : compileTemplate(source, { ...settings, dialect: profile.templateDialect });
  const plain = compiled(sources.default);
  const withTools = sources.toolUse === sources.default ? plain : compiled(sources.toolUse);
  if (profile.name === "dynamo")
    return prepareForDynamo(plain, withTools, { variables, frontend, refusesOthers: sources.refusesOthers === true });
  const prepared = (template: ChatTemplate | undefined) => {
    if (template === undefined) return undefined;
    return profile.name === "vllm"
      ? new VllmChat(template, variables)
      : new SglangChat(template, variables, sglangReasoningMode(template.source).effortSwitch);
  };
  return { plain: prepared(plain), withTools: prepared(withTools) };
}

/** Of a list of templates that has none for the conversation. */
const refusingChat: ChatStrategy = {
  render() {
    throw new RoutingError("the model's list of chat templates has none for this request", { code: "invalid_request" });
  },
};

function prepareForDynamo(
  plain: ChatTemplate | undefined,
  withTools: ChatTemplate | undefined,
  {
    variables,
    frontend,
    refusesOthers,
  }: Pick<DynamoChatParts, "variables" | "frontend"> & { readonly refusesOthers: boolean },
): Strategies {
  const prepared = (template: ChatTemplate | undefined, tools: JsonValue): ChatStrategy | undefined => {
    if (template === undefined) return refusesOthers ? refusingChat : undefined;
    try {
      const form = plain === undefined ? plainContent : contentForm(plain.source, bareProbe(plain));
      const parts = { template, variables, contentForm: form, frontend };
      return new DynamoChat(parts, templateProbe(template, variables, tools));
    } catch (error) {
      // What the frontend's probes show it is not known: neither is any prompt.
      if (error instanceof UnsupportedTemplateError) return new UnknownChat(error);
      throw error;
    }
  };
  return { plain: prepared(plain, null), withTools: prepared(withTools, [probeTool]) };
}
