import { isIPv4, isIPv6 } from "node:net";
import { type Address, parseAddress } from "./address.ts";
import type { Path, Report } from "./report.ts";
import type { Config } from "./schema.ts";

interface Listener {
  readonly section: string;
  readonly text: string;
  readonly address: Address;
}

/** Refuses listeners that would be in each other's way, and workers that are this process itself. */
export function checkListenAddresses(config: Config, report: Report): void {
  const listeners = listenersOf(config);
  for (const [i, { section, text, address }] of listeners.entries()) {
    const other = listeners.slice(0, i).find((each) => overlap(each.address, address));
    if (other === undefined) continue;
    const detail = other.text === text ? "" : `: ${other.section}.listen (${other.text})`;
    report([section, "listen"], `another listener has this address${detail}`, text);
  }
  for (const [i, worker] of config.workers.entries()) {
    for (const key of ["endpoint", "metricsEndpoint"] as const) {
      checkIsElsewhere(worker[key], ["workers", i, key], listeners, report);
    }
  }
}

/** Requests to a worker that is one of our own listeners would come back here. */
function checkIsElsewhere(
  endpoint: string | undefined,
  path: Path,
  listeners: readonly Listener[],
  report: Report,
): void {
  if (endpoint === undefined) return;
  const target = connectable(normalized(endpoint));
  const own = listeners.find(({ address }) => reaches(target, address));
  if (own === undefined) return;
  report(path, `expected a worker's address: here this process itself listens, ${own.section}.listen`, endpoint);
}

/** Those that the modes need, on a port that is known: port 0 is one that nobody else has. */
function listenersOf(config: Config): readonly Listener[] {
  const modes = [config.mode, ...config.mixedModes];
  const isEnvoys = modes.includes("ext-proc");
  const hasRouteApi = modes.includes("query") || modes.includes("reserve");
  const sections = [
    ...(isEnvoys ? (["extProc"] as const) : []),
    ...(hasRouteApi ? (["routeApi"] as const) : []),
    ...(modes.includes("proxy") ? (["proxy"] as const) : []),
    ...(modes.includes("queue") ? (["queue"] as const) : []),
    ...(isEnvoys ? (["health"] as const) : []),
    "metrics" as const,
    "admin" as const,
  ];
  return sections
    .map((section) => ({ section, text: config[section].listen }))
    .filter(({ text }) => text !== "off")
    .map((listener) => ({ ...listener, address: normalized(listener.text) }))
    .filter(({ address }) => address.port !== 0);
}

/** One spelling for each address; `localhost` is taken for 127.0.0.1. */
function normalized(text: string): Address {
  const { host, port } = parseAddress(text);
  if (isIPv6(host) && !host.includes("%")) {
    return { host: new URL(`http://[${host}]`).hostname.slice(1, -1), port };
  }
  const name = host.toLowerCase().replace(/\.$/, "");
  return { host: name === "localhost" ? "127.0.0.1" : name, port };
}

/** Whether both cannot be listened on: `::` takes a port of all addresses, `0.0.0.0` that of all of IPv4. */
function overlap(a: Address, b: Address): boolean {
  if (a.port !== b.port) return false;
  const hosts = [a.host, b.host];
  return (
    a.host === b.host || hosts.includes("::") || (hosts.includes("0.0.0.0") && hosts.every((host) => isIPv4(host)))
  );
}

/** To connect to "all addresses" is to connect to the own machine. */
function connectable({ host, port }: Address): Address {
  if (host === "0.0.0.0") return { host: "127.0.0.1", port };
  return { host: host === "::" ? "::1" : host, port };
}

/** Whether a connection to `target` surely ends at the listener. Which other addresses are ours is not known here. */
function reaches(target: Address, { host, port }: Address): boolean {
  if (target.port !== port) return false;
  const isLoopbackV4 = target.host.startsWith("127.");
  if (host === "0.0.0.0") return isLoopbackV4;
  return target.host === host || (host === "::" && (isLoopbackV4 || target.host === "::1"));
}
