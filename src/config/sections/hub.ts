import { z } from "zod";
import { count, milliseconds } from "../setting-types.ts";

/** Where models that are named by their id come from. */
export const hub = z
  .strictObject({
    url: z
      .url({ protocol: /^https?$/ })
      .default("https://huggingface.co")
      .describe("Address of the hub, or of a mirror."),
    tokenFile: z
      .string()
      .min(1)
      .optional()
      .describe("File with an access token, `hf_...`, for gated and private models. Absent = none is sent."),
    cacheDir: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Folder for what was downloaded, in the layout of Hugging Face's programs. Absent = `.cache/huggingface/hub` in the home folder.",
      ),
    timeoutMs: milliseconds(1).default(300_000).describe("Longest time to download one model's files, in ms."),
    maxBytes: count(1)
      .default(268_435_456)
      .describe("Most bytes of one model's files: tokenizer, template and settings; weights are not downloaded."),
  })
  .prefault({})
  .describe("The Hugging Face hub, from which models with `hubId` come.");
