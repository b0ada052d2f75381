import { z } from "zod";
import { checkedText, count, listenAddress, milliseconds } from "../setting-types.ts";
import { clientTimeouts } from "./front.ts";
import { tlsSection } from "./tls.ts";

const hostPattern = /^([a-z0-9_]([a-z0-9_-]{0,62})(\.[a-z0-9_]([a-z0-9_-]{0,62}))*|\[[0-9a-f:.]+\])$/;

function hostName() {
  return checkedText((text) =>
    hostPattern.test(text) ? undefined : "expected a host name or an address in lower case, without a port",
  );
}

const access = {
  allowedHosts: z
    .array(hostName())
    .default([])
    .describe(
      "Names by which browsers may call the console beside `localhost`, the loopback addresses and the address that it listens on: the host of its URL, without the port. Others are answered 421, so that a page of another site cannot reach it by a name that it points here.",
    ),
  tokenFile: z
    .string()
    .min(1)
    .optional()
    .describe(
      "File with bearer tokens, one a line, at most 256, one of which each request for what the console shows must have. It, or `admin.tokenHashes`, is needed anywhere but on the loopback address; without both, none is asked for.",
    ),
  tokenReloadIntervalMs: milliseconds(0)
    .default(10_000)
    .describe("How often the file is looked at for a change, in ms; 0 = never again after the start."),
  tokenHashes: checkedText((text) =>
    /^[0-9a-f]{64}(,[0-9a-f]{64}){0,255}$/.test(text)
      ? undefined
      : "expected SHA-256 hashes in hexadecimal, with commas between",
  )
    .optional()
    .describe(
      "SHA-256 hashes of such tokens (`printf %s TOKEN | sha256sum`), with commas between: for the environment.",
    ),
};

const limits = {
  updateIntervalMs: milliseconds(100)
    .default(1_000)
    .describe(
      "Time between two states that readers are sent, in ms. Where making one takes over a twentieth of it, it becomes longer.",
    ),
  historyMinutes: count(1).max(1_440).default(30).describe("How far back the history reaches, in minutes."),
  historyIntervalMs: milliseconds(1_000)
    .default(5_000)
    .describe("Time between two points of the history, in ms; at most 7200 points are kept."),
  maxReaders: count(1)
    .max(1_024)
    .default(16)
    .describe("Most readers of live states at one time; one more is answered 429."),
  maxRanks: count(1)
    .max(65_536)
    .default(2_048)
    .describe("Most ranks in a state; workers beyond them are counted, not listed. Each takes some 700 bytes."),
  maxConnections: count(1).default(64).describe("Connections at one time; one more is closed."),
};

/** The console. */
export const admin = z
  .strictObject({
    listen: listenAddress(true)
      .default("off")
      .describe(
        "Where the console listens, `host:port` or `[v6]:port`; port 0 = one that the system chooses, `off` = there is none. `serve --console` is `127.0.0.1:9099`. Anywhere but on the loopback address a token is needed.",
      ),
    ...access,
    tls: tlsSection("off", "console's"),
    ...limits,
    ...clientTimeouts,
    clientStallTimeoutMs: milliseconds(1)
      .default(30_000)
      .describe("How long a client may read nothing of an answer that waits for it, in ms; then it is cut."),
  })
  .prefault({})
  .describe("The console: the fleet, its load and its caches, and why requests went where they went, in a browser.");
