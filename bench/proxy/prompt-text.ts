/** A chat or messages request. */
export interface PromptBody {
  readonly tools?: unknown;
  readonly system?: string | readonly { readonly text: string }[];
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
}

/** The text that a worker would compute: tools, system prompt and turns in order; the line by which a client bills is dropped, as vLLM does. */
export function promptText({ tools, system, messages }: PromptBody): string {
  const blocks = typeof system === "string" ? [{ text: system }] : (system ?? []);
  const own = blocks.map(({ text }) => text).filter((text) => !text.startsWith("x-anthropic-billing-header"));
  const turns = messages.map(({ role, content, ...rest }) => `<${role}>${textOf(content)}${textOf(rest)}`);
  return `${tools === undefined ? "" : JSON.stringify(tools)}<system>${own.join("")}${turns.join("")}`;
}

function textOf(content: unknown): string {
  return typeof content === "string" ? content : JSON.stringify(content);
}
