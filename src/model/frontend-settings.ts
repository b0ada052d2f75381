import type { ChatRequest } from "../api/index.ts";

/**
 * What workers tell their Dynamo frontend of a model beside its files (dynamo@1.6.1 runtime_config.rs), as far as prompts depend on it.
 */
export interface FrontendSettings {
  /** `--dyn-reasoning-parser` of the workers. Default: none. */
  readonly reasoningParser?: string | undefined;
  /** `--dyn-tool-call-parser` of the workers. Default: none. */
  readonly toolCallParser?: string | undefined;
  /** Whether the model thinks where the client does not say. Default: what its template does. */
  readonly defaultThinkingMode?: "enabled" | "disabled" | undefined;
  /** Whether a prompt shows no tools when the client wants none called. Default true. */
  readonly excludesUnwantedTools?: boolean | undefined;
}

/** Whether a conversation's prompt shows its tools. */
export function showsTools(
  { tools, toolChoice }: Pick<ChatRequest, "tools" | "toolChoice">,
  { excludesUnwantedTools = true }: FrontendSettings,
): boolean {
  return tools !== undefined && tools.length > 0 && !(excludesUnwantedTools && toolChoice === "none");
}
