import { isRecord, type UnknownRecord } from "./unknown-record.ts";

/**
 * Token ids of a request without any model: the text of the prompt in a fixed form, four UTF-8 bytes to a token, the
 * last ones padded with zeros. Equal prompts give equal tokens and a conversation's next turn begins with the tokens of
 * the last one, up to the token in which they part. No real tokenizer agrees with it.
 * @returns one list per prompt; only a completion with several prompts has more than one
 */
export function pseudoTokenize(_path: string, body: Buffer): readonly Uint32Array[] {
  const request: unknown = JSON.parse(body.toString("utf8"));
  if (!isRecord(request)) throw new TypeError("the body must be a JSON object");
  return promptsOf(request).map((prompt) => (typeof prompt === "string" ? packBytes(prompt) : prompt));
}

function promptsOf(request: UnknownRecord): readonly (string | Uint32Array)[] {
  if (request["messages"] !== undefined) return [chatText(request)];
  const prompt = request["prompt"];
  const input = request["input"];
  if (prompt !== undefined) return completionPrompts(prompt);
  if (typeof input === "string" || Array.isArray(input)) return [responsesText(request, input)];
  throw new TypeError("the body has none of messages, prompt and input");
}

function completionPrompts(prompt: unknown): readonly (string | Uint32Array)[] {
  if (typeof prompt === "string") return [prompt];
  if (!Array.isArray(prompt) || prompt.length === 0) throw new TypeError("prompt must be a string or an array");
  if (prompt.every((id) => typeof id === "number")) return [Uint32Array.from(prompt)];
  return prompt.flatMap((each: unknown) => completionPrompts(each));
}

function chatText(request: UnknownRecord): string {
  const messages = request["messages"];
  if (!Array.isArray(messages)) throw new TypeError("messages must be an array");
  return `${toolsText(request)}${messages.map(messageText).join("")}<|assistant|>`;
}

function responsesText(request: UnknownRecord, input: string | readonly unknown[]): string {
  const instructions = request["instructions"];
  const system = typeof instructions === "string" ? `<|system|>${instructions}` : "";
  const turns = typeof input === "string" ? `<|user|>${input}` : input.map(messageText).join("");
  return `${toolsText(request)}${system}${turns}<|assistant|>`;
}

function toolsText(request: UnknownRecord): string {
  const tools = request["tools"];
  return tools === undefined || tools === null ? "" : `<|tools|>${JSON.stringify(tools)}`;
}

function messageText(message: unknown): string {
  if (!isRecord(message)) throw new TypeError("a message must be an object");
  const { role, type, content, ...rest } = message;
  const others = Object.keys(rest).length === 0 ? "" : JSON.stringify(rest);
  return `<|${String(role ?? type)}|>${contentText(content)}${others}`;
}

function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? "" : JSON.stringify(content);
  return content
    .map((part) => (isRecord(part) && typeof part["text"] === "string" ? part["text"] : JSON.stringify(part)))
    .join("");
}

function packBytes(text: string): Uint32Array {
  const bytes = Buffer.from(text, "utf8");
  const tokens = new Uint32Array(Math.ceil(bytes.length / 4));
  new Uint8Array(tokens.buffer).set(bytes);
  return tokens;
}
