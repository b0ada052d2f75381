import type { ChatRequest } from "../api/index.ts";
import { RoutingError } from "../errors/index.ts";
import { JsonObject } from "../json/index.ts";
import type { ChatTemplate } from "../template/index.ts";
import type { ChatStrategy, RenderedChat, Variables } from "./chat-strategy.ts";
import { type ContentForm, shapeContent } from "./content-shape.ts";
import { renderedToFinalMessage } from "./final-message.ts";
import { frontendArgs } from "./frontend-args.ts";
import { type FrontendSettings, showsTools } from "./frontend-settings.ts";
import { isList, type Message } from "./messages.ts";
import { type ReasoningForm, reasoningForm, shapeReasoning } from "./reasoning-content.ts";
import { normalizeSystem, probeSystemRules, type SystemRules } from "./system-roles.ts";
import type { Probe } from "./template-probe.ts";
import { keepsArgumentText, parseArguments, withArgumentObjects } from "./tool-arguments.ts";

export interface DynamoChatParts {
  readonly template: ChatTemplate;
  readonly variables: Variables;
  /** Of the model's default template. */
  readonly contentForm: ContentForm;
  readonly frontend: FrontendSettings;
}

/** A conversation as the Dynamo frontend renders it (dynamo-renderer@8.0.3, with what its preprocessor does before). */
export class DynamoChat implements ChatStrategy {
  readonly #template: ChatTemplate;
  readonly #variables: Variables;
  readonly #systemRules: SystemRules;
  readonly #contentForm: ContentForm;
  readonly #keepsArgumentText: boolean;
  readonly #reasoningForm: ReasoningForm;
  readonly #frontend: FrontendSettings;

  /**
   * @param probe of this template
   * @throws UnsupportedTemplateError where the template's answers to the probe are not known
   */
  constructor({ template, variables, contentForm, frontend }: DynamoChatParts, probe: Probe) {
    this.#template = template;
    this.#variables = variables;
    this.#contentForm = contentForm;
    this.#frontend = frontend;
    this.#systemRules = probeSystemRules((messages) => probe(messages) !== undefined);
    this.#keepsArgumentText = keepsArgumentText(template.source, probe);
    this.#reasoningForm = reasoningForm(template.source, probe, this.#keepsArgumentText);
  }

  render(chat: ChatRequest): RenderedChat {
    const tools = showsTools(chat, this.#frontend) ? chat.tools : undefined;
    return renderedToFinalMessage(chat, (marked) => ({
      pieces: this.#template.renderPieces(this.#context(marked, this.#shape(marked.messages), tools)),
      areSigns: undefined,
    }));
  }

  #shape(messages: readonly Message[]): readonly Message[] {
    messages.forEach(refuseUnrendered);
    const given = this.#frontend.toolCallParser === "glm47" ? withArgumentObjects(messages) : messages;
    return normalizeSystem(given, this.#systemRules).map((message) => {
      const shaped = shapeContent(message, this.#contentForm);
      return shapeReasoning(parseArguments(shaped, this.#keepsArgumentText), this.#reasoningForm);
    });
  }

  /** The template arguments only add names: those that the renderer sets itself win, even when they are None. */
  #context(chat: ChatRequest, messages: readonly Message[], tools: readonly JsonObject[] | undefined): JsonObject {
    return JsonObject.from([
      ...(frontendArgs(chat, this.#frontend)?.entries() ?? []),
      ...this.#variables,
      ["messages", messages],
      ["tools", tools ?? null],
      ["add_generation_prompt", chat.addGenerationPrompt],
    ]);
  }
}

/** Members that only models with a renderer of their own understand. */
function refuseUnrendered(message: Message, at: number): void {
  const tools = message.get("tools");
  const hasTools = isList(tools) && tools.length > 0;
  if (!hasTools && message.get("partial") !== true) return;
  const field = `messages[${at}].${hasTools ? "tools" : "partial"}`;
  throw new RoutingError(`\`${field}\` is not supported by this model`, { code: "invalid_request", field });
}
