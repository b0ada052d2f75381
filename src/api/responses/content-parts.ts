import { cacheBreakpoint, imageDetail } from "../chat/content-parts.ts";
import {
  FieldError,
  float64,
  listOf,
  nullDefault,
  oneOf,
  optional,
  type Reader,
  required,
  struct,
  tagged,
  text,
  u8,
  u32,
} from "../fields/index.ts";

// Shapes: dynamo-protocols@8.2.0 types/responses/mod.rs over async-openai@0.42.3 types/responses/response.rs.

export interface InputText {
  readonly type: "input_text";
  readonly text: string;
}
export interface InputImage {
  readonly type: "input_image";
  readonly detail: string;
  readonly file_id?: string | undefined;
  readonly image_url?: string | undefined;
}
export interface InputFile {
  readonly type: "input_file";
  readonly file_data?: string | undefined;
  readonly file_id?: string | undefined;
  readonly file_url?: string | undefined;
}

/** What a client's message, or a tool's output, may hold. */
export type InputPart = InputText | InputImage | InputFile;

const inputText = struct({ text: required(text), prompt_cache_breakpoint: optional(cacheBreakpoint) });

export const inputPart = tagged<object>("type", {
  input_text: inputText,
  input_image: struct({
    detail: nullDefault<string>(imageDetail, "auto"),
    file_id: optional(text),
    image_url: optional(text),
  }),
  input_file: struct({
    file_data: optional(text),
    file_id: optional(text),
    file_url: optional(text),
    filename: optional(text),
    detail: optional(oneOf("low", "high", "auto")),
    prompt_cache_breakpoint: optional(cacheBreakpoint),
  }),
}) as Reader<InputPart>;

const annotation = tagged<object>("type", {
  file_citation: struct({ file_id: required(text), filename: required(text), index: required(u32) }),
  url_citation: struct({
    end_index: required(u32),
    start_index: required(u32),
    title: required(text),
    url: required(text),
  }),
  container_file_citation: struct({
    container_id: required(text),
    end_index: required(u32),
    file_id: required(text),
    filename: required(text),
    start_index: required(u32),
  }),
  file_path: struct({ file_id: required(text), index: required(u32) }),
});

const topLogprob = { bytes: required(listOf(u8)), logprob: required(float64), token: required(text) };
const logprob = struct({ ...topLogprob, top_logprobs: required(listOf(struct(topLogprob))) });

/** What an earlier answer of the model may hold. */
export type OutputPart =
  | { readonly type: "output_text"; readonly text: string }
  | { readonly type: "refusal"; readonly refusal: string };

export const outputPart = tagged<object>("type", {
  output_text: struct({
    annotations: nullDefault(listOf(annotation), []),
    logprobs: optional(listOf(logprob)),
    text: required(text),
  }),
  refusal: struct({ refusal: required(text) }),
}) as Reader<OutputPart>;

/** Codex's private message between agents: text parts and texts it calls encrypted. */
const agentPart = tagged<object>("type", {
  input_text: inputText,
  encrypted_content: struct({ encrypted_content: required(text) }),
}) as Reader<{ readonly text?: string; readonly encrypted_content?: string }>;

/** Its text: absent content is "", parts are joined by line feeds. */
export const agentMessageText: Reader<string> = (value, duplicates) => {
  if (value === null) return "";
  if (typeof value === "string") return value;
  const parts = listOf(agentPart)(value, duplicates);
  return parts.map((part) => part.text ?? part.encrypted_content ?? "").join("\n");
};

/** Text of the text parts, without separator; other parts are left out. */
export function textOf(content: string | readonly InputPart[]): string {
  if (typeof content === "string") return content;
  return content.map((part) => (part.type === "input_text" ? part.text : "")).join("");
}

export function outputTextOf(parts: readonly OutputPart[]): string {
  return parts.map((part) => (part.type === "output_text" ? part.text : part.refusal)).join("");
}

/** For content that the frontend knows but cannot convert. */
export class UnsupportedContent extends FieldError {}
