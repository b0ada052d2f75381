import { JsonObject, type JsonValue } from "../../json/index.ts";
import {
  type DuplicateKeys,
  type Field,
  FieldError,
  nullable,
  oneOf,
  optional,
  type Reader,
  required,
  struct,
  tagged,
  text,
} from "../fields/index.ts";

// Shapes and member order: dynamo-protocols@8.2.0 types/chat.rs, async-openai@0.42.3 types/chat/chat_.rs.

export const cacheBreakpoint = struct({ mode: required(oneOf("explicit")) });

export const imageDetail = oneOf("auto", "low", "high", "original");

/** An absolute URL, written again as the WHATWG parser spells it (spaces percent-encoded, a bare host gains `/`). */
export const url: Reader<string> = (value, duplicates) => {
  try {
    return new URL(text(value, duplicates)).href;
  } catch (error) {
    throw error instanceof FieldError ? error : new FieldError("must be an absolute URL");
  }
};

const uuid: Reader<string> = (value, duplicates) => {
  const digits = text(value, duplicates)
    .replace(/^urn:uuid:|[{}-]/gi, "")
    .toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new FieldError("must be a UUID");
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
};

/** A media object that may be absent, null or `{"url": ""}`, which all mean a cached item named by `uuid`. */
function media<T>(read: Reader<T>): Field<T | null> {
  const present = nullable(read);
  return {
    aliases: [],
    read: (value: JsonValue | undefined, _duplicates: DuplicateKeys) =>
      value instanceof JsonObject && value.get("url") === "" ? null : present.read(value, "last"),
  };
}

const textPart = struct({ text: required(text), prompt_cache_breakpoint: optional(cacheBreakpoint) });

const imagePart = struct({
  image_url: media(struct({ url: required(url), detail: nullable(imageDetail), uuid: optional(uuid) })),
  uuid: optional(text),
});

const videoPart = struct({
  video_url: media(struct({ url: required(url), detail: nullable(imageDetail), uuid: optional(uuid) })),
  uuid: optional(text),
});

const audioUrlPart = struct({
  audio_url: media(struct({ url: required(url), uuid: optional(uuid) })),
  uuid: optional(text),
});

const inputAudioPart = struct({
  input_audio: required(struct({ data: required(text), format: required(oneOf("wav", "mp3")) })),
  prompt_cache_breakpoint: optional(cacheBreakpoint),
});

const refusalPart = struct({ refusal: required(text) });

/** A part of a message, after reading: `type` first, then its own members. */
export type ContentPart = object;

/** What system and developer messages may hold. */
export const textOnlyPart: Reader<ContentPart> = tagged<ContentPart>("type", { text: textPart });

export const assistantPart: Reader<ContentPart> = tagged<ContentPart>("type", { text: textPart, refusal: refusalPart });

export const toolPart: Reader<ContentPart> = tagged<ContentPart>("type", {
  text: textPart,
  image_url: imagePart,
  video_url: videoPart,
  audio_url: audioUrlPart,
});

export const userPart: Reader<ContentPart> = tagged<ContentPart>("type", {
  text: textPart,
  image_url: imagePart,
  video_url: videoPart,
  audio_url: audioUrlPart,
  input_audio: inputAudioPart,
});
