import type { Config } from "../../config/index.ts";
import { ConfigError, isLoopback, parseAddress } from "../../config/index.ts";
import { BearerTokens, FrontServer, systemClock } from "../../http/index.ts";
import { TurnBudget } from "../../kv-events/index.ts";
import {
  ConsoleApi,
  ConsoleDoor,
  type ConsoleSource,
  type ConsoleTelemetry,
  Hosts,
  readPageFiles,
  StateFeed,
} from "../../surface/admin/index.ts";
import type { Logger } from "../../telemetry/index.ts";
import { tlsOf } from "../listener-tls.ts";

/** A listening console. */
export interface RunningConsole {
  /** `host:port`. */
  readonly address: string;
  /** Readers of events at this moment. */
  readonly readers: number;
  close(): Promise<void>;
}

/** Of each turn of the event loop that the console has something to do in, ms: to make a state, and as much to send. */
export const turnMs = 1;

/** How long what is being sent when the console ends may take to get there, ms. */
const lastWordsMs = 1_000;

/** Listens for browsers. Rejects with ListenError when the address cannot be had, with ConfigError when a file cannot be used. */
export async function listenForConsole(
  config: Config,
  source: ConsoleSource,
  telemetry: ConsoleTelemetry,
  log: Logger,
): Promise<RunningConsole> {
  const { admin } = config;
  const { host, port } = parseAddress(admin.listen);
  const tokens = await tokensOf(admin);
  const turns = () => new TurnBudget(systemClock, turnMs);
  const feed = new StateFeed(source, admin, systemClock, turns());
  const api = new ConsoleApi({ source, feed, telemetry, clock: systemClock, turns: turns() }, admin);
  const hosts = new Hosts([hostOf(host), ...admin.allowedHosts]);
  const door = new ConsoleDoor({ api, page: await readPageFiles(), hosts, tokens, telemetry, log });
  const server = await FrontServer.start(
    door,
    { setting: "admin.listen", host, port, tls: tlsOf(admin.tls), limits: admin },
    log,
  );
  if (admin.tokenFile !== undefined) tokens?.watch(admin.tokenFile, admin.tokenReloadIntervalMs, log);
  const scheme = admin.tls.mode === "off" ? "http" : "https";
  log.info({ url: `${scheme}://${server.address}/`, asksForToken: tokens !== undefined }, "the console listens");
  if (scheme === "http" && !isLoopback(admin.listen)) {
    log.warn({ listen: admin.listen }, "the console's token crosses the network in plain text: see admin.tls");
  }
  return {
    address: server.address,
    get readers() {
      return api.readers;
    },
    close: async () => {
      tokens?.close();
      await server.drain(lastWordsMs);
    },
  };
}

/** As a URL has it. */
function hostOf(host: string): string {
  return host.includes(":") ? `[${host.toLowerCase()}]` : host.toLowerCase();
}

async function tokensOf({ tokenFile, tokenHashes }: Config["admin"]): Promise<BearerTokens | undefined> {
  const hashes = tokenHashes?.split(",") ?? [];
  if (tokenFile === undefined) return hashes.length === 0 ? undefined : BearerTokens.told(hashes);
  try {
    return await BearerTokens.read(tokenFile, hashes);
  } catch (cause) {
    throw new ConfigError([`admin.tokenFile: ${cause instanceof Error ? cause.message : String(cause)}`], { cause });
  }
}
