import { z } from "zod";
import { count, milliseconds } from "../setting-types.ts";

/** TLS to a Redis server. */
export const redisTls = z
  .strictObject({
    caFile: z
      .string()
      .min(1)
      .optional()
      .describe("PEM certificates of whom the server's certificate is trusted; absent = the system's."),
    certFile: z.string().min(1).optional().describe("PEM certificate to show to the server. Needs `keyFile`."),
    keyFile: z.string().min(1).optional().describe("PEM private key of it."),
    serverName: z
      .string()
      .min(1)
      .optional()
      .describe("Name that the server's certificate must have; absent = the host of the URL."),
    verify: z.boolean().default(true).describe("Whether the server's certificate is checked at all."),
  })
  .prefault({})
  .describe("TLS to the server, with a URL that starts with `rediss://`. The files are read for each connection.");

/** `redis://host:port` or `rediss://host:port`. */
export function redisUrl() {
  return z.string().superRefine((text, context) => {
    const message = describeUrlFault(text);
    // The value is shown to people: a password in it is not.
    const input = text.replace(/\/\/.*@/, "//...@");
    if (message !== undefined) context.addIssue({ code: "custom", message, input, continue: false });
  });
}

/** Sharing of load between replicas. */
export const redis = z
  .strictObject({
    url: redisUrl()
      .optional()
      .describe(
        "Redis or Valkey server, `redis://host:port` or `rediss://host:port` for TLS; the same for all replicas. Absent = replicas know nothing of each other's load.",
      ),
    username: z.string().min(1).optional().describe("User at the server; absent = its default user."),
    passwordFile: z
      .string()
      .min(1)
      .optional()
      .describe("File with the password, read for each connection. Absent = none is sent."),
    tls: redisTls,
    keyPrefix: z
      .string()
      .regex(/^[\x21-\x7e]{0,128}$/, "expected at most 128 printable characters without spaces")
      .default("pointsman:")
      .describe(
        "Start of the names of channels. Replicas with the same prefix share their load: one for each deployment.",
      ),
    shareSessions: z
      .boolean()
      .default(true)
      .describe(
        "Whether replicas tell each other where sessions are served (`affinity`), by digests of their ids: a session then stays on its worker whichever replica it asks.",
      ),
    heartbeatMs: milliseconds(10)
      .default(250)
      .describe("Pause between two messages that tell everything a replica has booked, in ms."),
    coalesceMs: milliseconds(0)
      .default(1)
      .describe("Least pause between two messages that tell what has changed, in ms; the first goes out at once."),
    silentAfterMs: milliseconds(20)
      .default(1500)
      .describe("The load of a replica that was not heard for so long is dropped, in ms."),
    timeoutMs: milliseconds(20)
      .default(1000)
      .describe(
        "Longest time for connecting, and longest time in which none of this replica's own messages comes back, in ms; then the connection is made anew.",
      ),
    reconnectMinMs: milliseconds(1).default(50).describe("First pause before connecting again, in ms; it doubles."),
    reconnectMaxMs: milliseconds(1).default(500).describe("Longest pause before connecting again, in ms."),
    maxReplicas: count(1)
      .max(1_024)
      .default(64)
      .describe("Most other replicas that count; further ones are passed over."),
    maxRanksPerMessage: count(1)
      .max(65_536)
      .default(1_024)
      .describe("Most ranks in a message; what does not fit goes into another. The same for all replicas."),
    maxMessageBytes: count(4_096)
      .max(64 * 1_048_576)
      .default(262_144)
      .describe("Longest message, in bytes; a longer one is passed over. The same for all replicas."),
  })
  .prefault({})
  .describe("Sharing of load through Redis.");

function describeUrlFault(text: string): string | undefined {
  if (!URL.canParse(text)) return "expected redis://host:port or rediss://host:port";
  const { protocol, hostname, username, password, pathname, search, hash } = new URL(text);
  if (protocol !== "redis:" && protocol !== "rediss:") return "expected redis:// or rediss://";
  if (hostname === "") return "expected a host";
  if (username !== "" || password !== "") return "expected no user or password: they go to username and passwordFile";
  // Channels are those of a server, whatever its databases are.
  return /^\/?$/.test(pathname) && search === "" && hash === "" ? undefined : "expected nothing after host and port";
}
