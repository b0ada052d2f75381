import { type Config, parseAddress } from "../../config/index.ts";
import { replicaName } from "../reservation-ids.ts";

/** The settings of one of several shards: what is one for all of them is the parent's. @param index from 0 */
export function shardConfig(config: Config, index: number): Config {
  const { extProc, proxy, queue, routeApi, replicas, metrics, health, shards, recorder } = config;
  const moved = (listen: string) => (shards.listen === "own" ? movedAddress(listen, index * shards.portStep) : listen);
  return {
    ...config,
    extProc: { ...extProc, listen: moved(extProc.listen) },
    proxy: { ...proxy, listen: moved(proxy.listen) },
    queue: { ...queue, listen: moved(queue.listen) },
    routeApi: {
      ...routeApi,
      listen: routeApi.listen === "off" ? "off" : moved(routeApi.listen),
      ...(routeApi.socket === undefined ? {} : { socket: `${routeApi.socket}.${index}` }),
    },
    // Each knows only of its own bytes, and ends what another one left unfinished.
    recorder: { ...recorder, ...(recorder.file === undefined ? {} : { file: `${recorder.file}.${index}` }) },
    // Reservations and loads are told apart by it.
    replicas: { ...replicas, id: `${replicaName(config).slice(0, 61)}-${index}` },
    metrics: { ...metrics, listen: "off" },
    health: { ...health, listen: "off" },
  };
}

/** Whether other processes listen on the same ports. */
export function isPortShared({ shards }: Config): boolean {
  return shards.count > 1 && shards.listen === "shared";
}

function movedAddress(listen: string, by: number): string {
  const { host, port } = parseAddress(listen);
  const moved = port === 0 ? 0 : port + by;
  return host.includes(":") ? `[${host}]:${moved}` : `${host}:${moved}`;
}
