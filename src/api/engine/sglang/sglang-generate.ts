import type { JsonObject } from "../../../json/index.ts";
import { completionPrompt } from "../../completions/prompt.ts";
import { clientPinsOf } from "../../extensions.ts";
import type { CompletionsParsed } from "../../parsed-request.ts";
import { engineExtensions, engineModel } from "../engine-extensions.ts";
import { given } from "../members.ts";
import { Untokenizable } from "../untokenizable.ts";

/** Members by which a prompt is more, or cached apart from, its text. */
const others = ["input_embeds", "image_data", "video_data", "audio_data", "lora_path", "lora_id", "extra_key"] as const;

/**
 * A body of SGLang's own `/generate` (sglang@0.5.23 io_struct.py GenerateReqInput): `text`, to which the tokenizer adds its special tokens
 * and no template belongs, or `input_ids` as they are; one of the two.
 * @throws FieldError, Untokenizable
 */
export function sglangGenerate(root: JsonObject): CompletionsParsed {
  for (const name of others) {
    if (given(root, name) !== undefined) throw new Untokenizable(`\`${name}\` belongs to the prompt`);
  }
  const [text, ids] = [given(root, "text"), given(root, "input_ids")];
  if ((text === undefined) === (ids === undefined)) throw new Untokenizable("one of `text` and `input_ids` is taken");
  const prompt = completionPrompt(text ?? ids ?? "", "last");
  const isText = prompt.kind === "text" || prompt.kind === "texts";
  if (isText !== (text !== undefined)) throw new Untokenizable("`text` holds text, `input_ids` token ids");
  return {
    api: "completions",
    model: engineModel(root) ?? "",
    prompt,
    addSpecialTokens: true,
    extensions: engineExtensions(root),
    clientPins: clientPinsOf(root),
    root,
  };
}
