import { JsonObject, type JsonValue } from "../json/index.ts";
import type { ModelFiles } from "./model-files.ts";
import type { ParsedFiles } from "./parsed-files.ts";
import type { ProfileName } from "./profile.ts";

/** Sources of a model's chat templates. */
export interface TemplateSources {
  readonly default: string | undefined;
  /** For requests with tools. */
  readonly toolUse: string | undefined;
  /** Whether requests for which there is none are refused. Default false: they are placed by load. */
  readonly refusesOthers?: boolean;
}

const none: TemplateSources = { default: undefined, toolUse: undefined };

/**
 * Finds the chat template: `chat_template.jinja`, else `chat_template.json`, else `tokenizer_config.json`. One text serves both
 * uses; a list names them, as `{name, template}` or `{<name>: <template>}`. Engines differ where there are several; a use whose template is not
 * known has none. The Dynamo frontend knows the second form only, and takes the first for it (dynamo-renderer@8.0.3 tokcfg.rs, observed):
 * what it then finds no template for it refuses.
 */
export function templateSources(files: ModelFiles, parsed: ParsedFiles, reader: ProfileName): TemplateSources {
  const sources = declaredSources(files, parsed, reader);
  if (reader === "dynamo" || !hasMoreTemplates(files)) return sources;
  return reader === "vllm" ? { ...sources, toolUse: undefined } : none;
}

/** Further templates by their names, which are not read; what SGLang makes of several follows their order. */
function hasMoreTemplates({ otherNames }: ModelFiles): boolean {
  return otherNames.some((name) => name.startsWith("additional_chat_templates"));
}

function declaredSources(files: ModelFiles, parsed: ParsedFiles, reader: ProfileName): TemplateSources {
  if (files.chatTemplate !== undefined) return { default: files.chatTemplate, toolUse: files.chatTemplate };
  const ofProcessor = parsed.chatTemplate.get("chat_template");
  const ofTokenizer = parsed.tokenizerConfig.get("chat_template");
  const sources = namedSources(ofProcessor ?? ofTokenizer, reader);
  if (reader === "dynamo" || typeof ofProcessor !== "string" || ofProcessor === ofTokenizer) return sources;
  return ofTokenizer === undefined ? forProcessor(sources, reader) : forBoth(ofTokenizer, reader);
}

/** vLLM asks the processor for its template when there are no tools, SGLang always. */
function forProcessor(sources: TemplateSources, reader: ProfileName): TemplateSources {
  return reader === "vllm" ? { ...sources, toolUse: undefined } : sources;
}

/** Which of two templates counts depends on whether the engine loads a processor. With tools vLLM takes the tokenizer's. */
function forBoth(ofTokenizer: JsonValue, reader: ProfileName): TemplateSources {
  return reader === "vllm" ? { default: undefined, toolUse: namedSources(ofTokenizer, reader).toolUse } : none;
}

/** Of several templates SGLang takes the first for both uses (sglang@0.5.23 parser/template_manager.py). */
function namedSources(declared: JsonValue | undefined, reader: ProfileName): TemplateSources {
  if (typeof declared === "string") return { default: declared, toolUse: declared };
  const named = new Map<string, JsonValue>(entriesOf(declared, reader !== "dynamo"));
  const [first] = named.values();
  if (reader === "sglang") return { default: textOf(first), toolUse: textOf(first) };
  const [byDefault, toolUse] = [textOf(named.get("default")), textOf(named.get("tool_use"))];
  if (reader !== "dynamo") return { default: byDefault, toolUse: toolUse ?? byDefault };
  return named.size === 0 ? none : { default: byDefault, toolUse, refusesOthers: true };
}

function* entriesOf(declared: JsonValue | undefined, takesNames: boolean): Generator<readonly [string, JsonValue]> {
  if (!Array.isArray(declared)) return;
  for (const entry of declared as readonly JsonValue[]) {
    if (!(entry instanceof JsonObject)) continue;
    const name = entry.get("name");
    const template = entry.get("template");
    if (takesNames && typeof name === "string" && template !== undefined) yield [name, template];
    else yield* entry.entries();
  }
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}
