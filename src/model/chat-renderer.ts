import type { ChatRequest } from "../api/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import { type ChatTemplate, compileTemplate, type NativePrompt } from "../template/index.ts";
import type { ChatStrategy, RenderedChat, Variables } from "./chat-strategy.ts";
import { contentForm, plainContent } from "./content-shape.ts";
import { DynamoChat } from "./dynamo-chat.ts";
import { SglangChat } from "./engine-sglang.ts";
import { sglangReasoningMode } from "./engine-sglang-reasoning.ts";
import { VllmChat } from "./engine-vllm.ts";
import { NativeChat } from "./native-chat.ts";
import type { Profile } from "./profile.ts";
import { bareProbe, templateProbe } from "./template-probe.ts";
import type { TemplateSources } from "./template-source.ts";

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

/** Turns conversations into prompts, as one backend does it for one model. */
export class ChatRenderer {
  readonly #strategies: Strategies;

  /**
   * @param native renders in place of the templates, where given
   * @throws UnsupportedTemplateError when a template cannot be parsed
   */
  constructor(profile: Profile, sources: TemplateSources, variables: Variables, native?: NativePrompt) {
    this.#strategies = native === undefined ? prepare(profile, sources, variables) : always(new NativeChat(native));
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

  #strategyFor({ tools, toolChoice }: ChatRequest): ChatStrategy | undefined {
    const showsTools = tools !== undefined && tools.length > 0 && toolChoice !== "none";
    return showsTools ? this.#strategies.withTools : this.#strategies.plain;
  }
}

function always(strategy: ChatStrategy): Strategies {
  return { plain: strategy, withTools: strategy };
}

function prepare(profile: Profile, sources: TemplateSources, variables: Variables): Strategies {
  const compiled = (source: string | undefined) =>
    source === undefined ? undefined : compileTemplate(source, { dialect: profile.templateDialect });
  const plain = compiled(sources.default);
  const withTools = sources.toolUse === sources.default ? plain : compiled(sources.toolUse);
  if (profile.name === "dynamo") return prepareForDynamo(plain, withTools, variables);
  const prepared = (template: ChatTemplate | undefined) => {
    if (template === undefined) return undefined;
    return profile.name === "vllm"
      ? new VllmChat(template, variables)
      : new SglangChat(template, variables, sglangReasoningMode(template.source).effortSwitch);
  };
  return { plain: prepared(plain), withTools: prepared(withTools) };
}

function prepareForDynamo(
  plain: ChatTemplate | undefined,
  withTools: ChatTemplate | undefined,
  variables: Variables,
): Strategies {
  const form = plain === undefined ? plainContent : contentForm(plain.source, bareProbe(plain));
  const prepared = (template: ChatTemplate | undefined, tools: JsonValue): ChatStrategy | undefined => {
    if (template === undefined) return undefined;
    return new DynamoChat(template, variables, form, templateProbe(template, variables, tools));
  };
  return { plain: prepared(plain, null), withTools: prepared(withTools, [probeTool]) };
}
