import { FieldError } from "../fields/index.ts";
import type { ChatMessage } from "./messages.ts";

const mediaTypes = new Set(["image_url", "video_url", "audio_url"]);

/** A media part as read: its media under its own type, null for a cached item that `uuid` names. */
type MediaPart = Readonly<Record<string, unknown>>;

/**
 * Media must have a URL, or (images only) the id of a cached item (dynamo-llm@1.6.1 preprocessor.rs).
 * @throws FieldError
 */
export function checkMedia(message: ChatMessage, at: number): void {
  const { content } = message;
  if (typeof content === "string" || content === undefined || content === null) return;
  for (const [partAt, part] of content.entries()) {
    if (mediaTypes.has(part.type ?? "")) checkPart(part as MediaPart, `messages[${at}].content[${partAt}]`);
  }
}

function checkPart(part: MediaPart, path: string): void {
  const type = String(part["type"]);
  const { uuid } = part as { readonly uuid?: string };
  if (uuid === "") throw new FieldError("must not be empty", `${path}.uuid`);
  if (part[type] !== null) return;
  if (uuid === undefined) throw new FieldError("needs a URL", `${path}.${type}`);
  if (type !== "image_url") throw new FieldError("needs a URL: only images are cached by id", `${path}.${type}`);
}
