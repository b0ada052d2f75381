import { z } from "zod";
import { milliseconds } from "../setting-types.ts";

/** How a listener is secured. @param listener for the description */
export function tlsSection(defaultMode: "self-signed" | "off", listener: string) {
  return z
    .strictObject({
      mode: z
        .enum(["self-signed", "files", "off"])
        .default(defaultMode)
        .describe(
          "`self-signed`: a certificate made at the start; `files`: `certFile` and `keyFile`; `off`: plain text.",
        ),
      certFile: z
        .string()
        .min(1)
        .optional()
        .describe("PEM certificate chain. Needed with mode `files`, without meaning otherwise."),
      keyFile: z.string().min(1).optional().describe("PEM private key. Needed with mode `files`."),
      clientCaFile: z
        .string()
        .min(1)
        .optional()
        .describe(
          "PEM certificates of authorities: who connects must show a certificate that one of them has issued (mTLS). Not with mode `off`. Absent = nobody is asked for one.",
        ),
      reloadIntervalMs: milliseconds(0)
        .default(10_000)
        .describe("How often these files are looked at for a change, in ms; 0 = never again after the start."),
    })
    .prefault({})
    .describe(`Transport security of the ${listener} listener.`);
}
