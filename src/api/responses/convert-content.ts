import { url } from "../chat/content-parts.ts";
import { FieldError, within } from "../fields/index.ts";
import { type InputFile, type InputImage, type InputPart, textOf, UnsupportedContent } from "./content-parts.ts";

type ChatPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image_url"; readonly image_url: { readonly url: string; readonly detail: string } };

/**
 * A user's content in the form of chat: one text part alone becomes a plain string.
 * @throws FieldError for images and files that are not given rightly, UnsupportedContent for those that cannot be converted
 */
export function userContent(content: string | readonly InputPart[]): string | readonly ChatPart[] {
  if (typeof content === "string") return content;
  const [first] = content;
  if (content.length === 1 && first?.type === "input_text") return first.text;
  return content.map((part, at) => within(at, () => chatPart(part, refuseFile)));
}

/** A tool's output in the form of chat: only texts are joined to a string, with images the parts stay. */
export function toolContent(output: string | readonly InputPart[]): string | readonly ChatPart[] {
  if (typeof output === "string" || output.every((part) => part.type === "input_text")) return textOf(output);
  return output.map((part, at) =>
    within(at, () =>
      chatPart(part, () => {
        throw new UnsupportedContent("is a file, which tool outputs cannot hold");
      }),
    ),
  );
}

function chatPart(part: InputPart, refuse: (file: InputFile) => never): ChatPart {
  switch (part.type) {
    case "input_text":
      return { type: "text", text: part.text };
    case "input_image":
      return { type: "image_url", image_url: { url: imageUrl(part), detail: part.detail } };
    case "input_file":
      return refuse(part);
  }
}

function imageUrl(image: InputImage): string {
  if (image.image_url !== undefined) {
    const given = image.image_url;
    return within("image_url", () => url(given, "last"));
  }
  if (image.file_id === undefined) throw new FieldError("needs `image_url` or `file_id`");
  if (image.file_id.trim() === "") throw new FieldError("must not be empty", "file_id");
  throw new UnsupportedContent("is an image by file id, which is not supported", "file_id");
}

function refuseFile(file: InputFile): never {
  const given = (["file_data", "file_id", "file_url"] as const).filter((name) => file[name] !== undefined);
  const [source] = given;
  if (source === undefined || given.length > 1) {
    throw new FieldError("needs exactly one of `file_data`, `file_id` and `file_url`");
  }
  const value = file[source] ?? "";
  if (value.trim() === "") throw new FieldError("must not be empty", source);
  if (source === "file_url") within(source, () => url(value, "last"));
  throw new UnsupportedContent("is a file, which is not supported");
}
