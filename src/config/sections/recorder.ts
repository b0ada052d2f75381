import { z } from "zod";
import { count } from "../setting-types.ts";

/** A record of the traffic that `pointsman replay` can play. */
export const recorder = z
  .strictObject({
    file: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Where one line a picked request is appended: its time, its lengths in tokens and keyed hashes of its blocks, nothing of its text. Absent = nothing is recorded. Several replicas need a file each; shards add their number to its name, as `.0`.",
      ),
    blockTokens: count(1)
      .default(512)
      .describe("Tokens that one hash stands for; a multiple of every model's `blockSize`."),
    keyFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        "File with a secret of at least 16 bytes that the hashes are made with: those of several processes, and of one before and after a restart, are alike then. Absent = each start has a random one. Several shards need it.",
      ),
    maxBytes: count(1)
      .default(1_073_741_824)
      .describe(
        "Longest that the file (with several shards: each) may become, in bytes; nothing more is recorded then.",
      ),
    maxWaitingBytes: count(1)
      .default(4_194_304)
      .describe("Most bytes that wait for a slow disk; more are left out, and counted."),
  })
  .prefault({})
  .describe("A trace of the requests, for `pointsman replay`.");
