import { readFile } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { type Config, ConfigError } from "../config/index.ts";
import { IndexRecovery, type RecoveryStatus } from "../kv-events/index.ts";
import type { ModelRegistry } from "../router/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** How far the start-up recovery is, for surfaces and metrics. */
export interface RecoveryView {
  readonly status: RecoveryStatus;
  readonly isCaughtUp: boolean;
}

/**
 * The start-up recovery that the settings describe; undefined when there are no peers.
 * @param ownPorts where this process may be asked for a dump itself
 * @throws ConfigError when a file cannot be read
 */
export async function peerRecovery(
  config: Config,
  models: ModelRegistry,
  log: Logger,
  ownPorts: () => readonly number[],
): Promise<IndexRecovery | undefined> {
  const { urls, tokenFile, caFile, ...limits } = config.replicas.peers;
  if (urls.length === 0) return undefined;
  const token = tokenFile === undefined ? undefined : await firstLine(tokenFile);
  const ca = caFile === undefined ? undefined : await read("replicas.peers.caFile", caFile);
  return new IndexRecovery(
    { ...limits, urls: urls.map((url) => new URL(url)), token, ca, ownPorts },
    { indexOf: (group) => models.find(nameOf(group))?.index, clock: { now: () => performance.now() }, log },
  );
}

/** The name under which a group of a dump, `model:routing_group`, is served: models of the default group by their own name. */
function nameOf(group: string): string {
  return group.endsWith(":default") ? group.slice(0, -":default".length) : group;
}

async function firstLine(file: string): Promise<string> {
  const key = "replicas.peers.tokenFile";
  const lines = (await read(key, file)).split("\n").map((line) => line.trim());
  const token = lines.find((line) => line !== "" && !line.startsWith("#"));
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) {
    throw new ConfigError([`${key}: ${file} holds no token that can be sent in a header`]);
  }
  return token;
}

async function read(key: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new ConfigError([`${key}: ${cause instanceof Error ? cause.message : String(cause)}`], { cause });
  }
}
