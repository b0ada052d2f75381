import { z } from "zod";
import { count, milliseconds } from "../setting-types.ts";

const gibibyte = 1_073_741_824;

/** Peers that give their prefix index to a replica that starts. */
export const peers = z
  .strictObject({
    urls: z
      .array(peerUrl())
      .max(64)
      .default([])
      .describe(
        "Where the prefix index is fetched from at the start: the route APIs of other replicas, or Dynamo's indexers or selection services, as `http://10.0.0.7:8092`; the first that answers. A host name stands for all of its addresses but our own. Empty = it begins with what the workers replay.",
      ),
    tokenFile: z
      .string()
      .min(1)
      .optional()
      .describe("File whose first line is the bearer token for the peers. Absent = none is sent."),
    caFile: z
      .string()
      .min(1)
      .optional()
      .describe("File with the certificates (PEM) that vouch for `https` peers. Absent = those of the system."),
    verifyTls: z
      .boolean()
      .default(true)
      .describe("Whether the certificates of `https` peers are checked. `false` is for self-signed ones."),
    deadlineMs: milliseconds(1)
      .default(60_000)
      .describe(
        "Longest time at the start in which the index is fetched, in ms: then it begins with what the workers replay. Workers that are registered in this time get their part of it, too.",
      ),
    seekMs: milliseconds(0)
      .default(2_000)
      .describe("How long peers that cannot be reached, or have nothing yet, are asked again, in ms."),
    answerTimeoutMs: milliseconds(1)
      .default(5_000)
      .describe(
        "Longest wait for a peer to connect, to begin its answer, and for each further part of it, in ms; then the next one is asked.",
      ),
    catchUpMs: milliseconds(0)
      .default(5_000)
      .describe(
        "Longest wait, after the index was fetched, for the events that were kept meanwhile to be applied, in ms; then it counts as ready all the same.",
      ),
    maxDumpBytes: count(1_024)
      .max(64 * gibibyte)
      .default(4 * gibibyte)
      .describe("Longest index that is fetched, in bytes, about 90 a block. It is never held as a whole."),
  })
  .prefault({})
  .describe("Peers that give their prefix index to a replica that starts.");

/** As `checkedText`, but for a password in the text, which is not shown. */
function peerUrl() {
  return z.string().superRefine((text, context) => {
    const message = describeUrlFault(text);
    const input = text.replace(/\/\/.*@/, "//...@");
    if (message !== undefined) context.addIssue({ code: "custom", message, input, continue: false });
  });
}

function describeUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) {
    return "expected http://host:port or https://host:port";
  }
  if (url.username !== "" || url.password !== "") return "expected no user in it: set replicas.peers.tokenFile";
  if (url.search !== "" || url.hash !== "") return "expected no query";
  return undefined;
}
