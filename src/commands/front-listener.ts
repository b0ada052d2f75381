import { type Config, parseAddress } from "../config/index.ts";
import { type FrontDoorway, FrontServer } from "../http/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { tlsOf } from "./listener-tls.ts";
import { isPortShared } from "./shards/shard-config.ts";

/** A front answers slow bodies in its API's words; the listener ends only what the front's own timer misses. */
const listenerMarginMs = 5_000;

/** Listens for the clients of a front, by the settings of its section. Rejects when it cannot. */
export function listenForClients(
  section: "proxy" | "queue",
  door: FrontDoorway,
  config: Config,
  log: Logger,
): Promise<FrontServer> {
  const front = config[section];
  const { host, port } = parseAddress(front.listen);
  const options = {
    setting: `${section}.listen`,
    host,
    port,
    sharesPort: isPortShared(config),
    drainNoticeMs: config.shutdown.readinessDelayMs,
    tls: tlsOf(front.tls),
    limits: { ...front, requestTimeoutMs: front.requestTimeoutMs + listenerMarginMs },
  };
  return FrontServer.start(door, options, log);
}
