import { parseAddress } from "./address.ts";
import type { Report } from "./report.ts";
import type { Config } from "./schema.ts";

interface Listener {
  /** Of the setting. */
  readonly path: readonly string[];
  /** Its value: `host:port`. */
  readonly listen: string;
}

/** The checks of several shards. */
export function checkShards(config: Config, report: Report): void {
  const { shards, mode, mixedModes } = config;
  if (shards.restartMaxMs < shards.restartMinMs) {
    const message = `expected at least shards.restartMinMs (${shards.restartMinMs})`;
    report(["shards", "restartMaxMs"], message, shards.restartMaxMs);
  }
  if (shards.count === 1) return;
  if (config.recorder.file !== undefined && config.recorder.keyFile === undefined) {
    report(["recorder", "keyFile"], "needed: the hashes of all shards have to be alike", undefined);
  }
  const hasRouteApi = [mode, ...mixedModes].some((each) => each === "query" || each === "reserve");
  if (shards.listen === "shared") {
    if (hasRouteApi) {
      const message = "expected `own`: reservations and registered workers of the route API belong to one shard";
      report(["shards", "listen"], message, shards.listen);
    }
    for (const { path, listen } of listenersOf(config)) {
      if (parseAddress(listen).port === 0) report(path, "expected a port that all shards can share", listen);
    }
    return;
  }
  checkOwnPorts(config, report);
}

/** Each shard's ports are its own, and nobody else's. */
function checkOwnPorts(config: Config, report: Report): void {
  const { count, portStep } = config.shards;
  const taken = new Set([config.metrics.listen, config.health.listen, config.admin.listen].flatMap(portOf));
  for (const { path, listen } of listenersOf(config)) {
    const { port } = parseAddress(listen);
    if (port === 0) continue;
    const last = port + (count - 1) * portStep;
    if (last > 65_535) report(path, `the last of ${count} shards would have port ${last}`, listen);
    for (let shard = 0; shard < count; shard++) {
      const own = port + shard * portStep;
      if (taken.has(own))
        report(path, `shard ${shard} would have port ${own}, which is taken: see shards.portStep`, listen);
      taken.add(own);
    }
  }
}

/** Where the surfaces of the configured modes listen for TCP, and the setting that says so. */
export function listenersOf({ mode, mixedModes, extProc, proxy, queue, routeApi }: Config): readonly Listener[] {
  const modes = [mode, ...mixedModes];
  const all: Listener[] = [];
  if (modes.includes("ext-proc")) all.push({ path: ["extProc", "listen"], listen: extProc.listen });
  if (modes.includes("proxy")) all.push({ path: ["proxy", "listen"], listen: proxy.listen });
  if (modes.includes("queue")) all.push({ path: ["queue", "listen"], listen: queue.listen });
  const hasRouteApi = modes.some((each) => each === "query" || each === "reserve");
  if (hasRouteApi && routeApi.listen !== "off") all.push({ path: ["routeApi", "listen"], listen: routeApi.listen });
  return all;
}

function portOf(listen: string): number[] {
  return listen === "off" ? [] : [parseAddress(listen).port];
}
