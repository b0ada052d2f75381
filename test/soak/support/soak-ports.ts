import { freePorts } from "../../e2e/support/free-ports.ts";

const names = [
  ...(["gateway", "admin", "pickerA", "healthA", "metricsA", "routeA", "pickerB", "healthB", "metricsB"] as const),
  ...(["proxyA", "metricsProxyA", "routeProxyA", "proxyB", "metricsProxyB", "routeProxyB"] as const),
  ...(["routeRoute", "metricsRoute", "queue", "queueMetrics", "replicasRedis", "queueRedis", "collector"] as const),
  ...(["podHttp", "podEvents", "podRelay", "podReplay"] as const),
] as const;

/** Where everything of a soak listens; a program that is started again has the same ports. */
export type SoakPorts = Readonly<Record<(typeof names)[number], number>>;

/** Free ones. */
export async function soakPorts(): Promise<SoakPorts> {
  const ports = await freePorts(names.length);
  return Object.fromEntries(names.map((name, i) => [name, ports[i]])) as SoakPorts;
}
