import { RoutingError } from "../errors/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import { type ChatTemplate, UnsupportedTemplateError } from "../template/index.ts";
import type { Variables } from "./chat-strategy.ts";
import type { Message } from "./messages.ts";

/** Renders sample messages at load, to learn what a template takes; undefined when it refuses them. */
export type Probe = (messages: readonly Message[]) => string | undefined;

export function templateProbe(template: ChatTemplate, variables: Variables, tools: JsonValue): Probe {
  return (messages) => {
    try {
      return template.render(
        JsonObject.from([...variables, ["messages", messages], ["tools", tools], ["add_generation_prompt", false]]),
      );
    } catch (error) {
      if (error instanceof RoutingError || error instanceof UnsupportedTemplateError) return undefined;
      throw error;
    }
  };
}
