import { RoutingError } from "../errors/index.ts";
import { JsonObject, type JsonValue } from "../json/index.ts";
import type { ChatTemplate } from "../template/index.ts";
import type { Variables } from "./chat-strategy.ts";
import type { Message } from "./messages.ts";

/**
 * Renders sample messages at load, to learn what a template takes; undefined when it refuses them.
 * Throws UnsupportedTemplateError where it is not known what it makes of them.
 */
export type Probe = (messages: readonly Message[], addGenerationPrompt?: boolean) => string | undefined;

/** A probe with the model's special tokens and with tools, or null. */
export function templateProbe(template: ChatTemplate, variables: Variables, tools: JsonValue): Probe {
  return probe(template, [...variables, ["tools", tools]]);
}

/** A probe with nothing but messages, as the frontend asks what content a template takes (dynamo-renderer@8.0.3 `render_default_probe`). */
export function bareProbe(template: ChatTemplate): Probe {
  return probe(template, []);
}

function probe(template: ChatTemplate, variables: Variables): Probe {
  return (messages, addGenerationPrompt = false) => {
    try {
      return template.render(
        JsonObject.from([...variables, ["messages", messages], ["add_generation_prompt", addGenerationPrompt]]),
      );
    } catch (error) {
      if (error instanceof RoutingError) return undefined;
      throw error;
    }
  };
}
