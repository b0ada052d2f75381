import { JsonObject, type JsonValue } from "../json/index.ts";
import type { ModelFiles } from "./model-files.ts";
import type { ParsedFiles } from "./parsed-files.ts";

/** Sources of a model's chat templates. */
export interface TemplateSources {
  readonly default: string | undefined;
  /** For requests with tools. */
  readonly toolUse: string | undefined;
}

/**
 * Finds the chat template: `chat_template.jinja`, else `chat_template.json`, else `tokenizer_config.json`. One text serves both
 * uses; a list names them, as `{name, template}` or `{<name>: <template>}`.
 */
export function templateSources(files: ModelFiles, parsed: ParsedFiles): TemplateSources {
  if (files.chatTemplate !== undefined) return { default: files.chatTemplate, toolUse: files.chatTemplate };
  const declared = parsed.chatTemplate.get("chat_template") ?? parsed.tokenizerConfig.get("chat_template");
  if (typeof declared === "string") return { default: declared, toolUse: declared };
  const named = new Map<string, JsonValue>(entriesOf(declared));
  const byDefault = textOf(named.get("default"));
  return { default: byDefault, toolUse: textOf(named.get("tool_use")) ?? byDefault };
}

function* entriesOf(declared: JsonValue | undefined): Generator<readonly [string, JsonValue]> {
  if (!Array.isArray(declared)) return;
  for (const entry of declared as readonly JsonValue[]) {
    if (!(entry instanceof JsonObject)) continue;
    const name = entry.get("name");
    const template = entry.get("template");
    if (typeof name === "string" && template !== undefined) yield [name, template];
    else yield* entry.entries();
  }
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
