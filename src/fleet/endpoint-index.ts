import { canonicalEndpoint, formatEndpoint, parseEndpoint } from "./endpoint.ts";
import type { Worker } from "./worker.ts";

/** Workers by `host:port` and by host. */
export class EndpointIndex<W extends Worker> {
  /** Youngest last: a pod that takes over an address is listed before its predecessor is gone. */
  readonly #byEndpoint = new Map<string, W[]>();
  readonly #byHost = new Map<string, W[]>();

  add(worker: W): void {
    push(this.#byEndpoint, worker.endpoint, worker);
    push(this.#byHost, hostOf(worker), worker);
  }

  remove(worker: W): void {
    drop(this.#byEndpoint, worker.endpoint, worker);
    drop(this.#byHost, hostOf(worker), worker);
  }

  /** The youngest worker at an endpoint, compared in canonical form. */
  at(endpoint: string): W | undefined {
    const known = this.#byEndpoint.get(endpoint) ?? this.#byEndpoint.get(canonicalEndpoint(endpoint) ?? "");
    return known?.at(-1);
  }

  /** Every worker that an entry names: `host:port`, or `host` for all ports of it. */
  matching(entry: string): readonly W[] {
    // Gateways give lists of thousands, as a rule in the canonical form.
    const known = entry.includes(":") ? this.#byEndpoint.get(entry) : undefined;
    if (known !== undefined) return known;
    const endpoint = parseEndpoint(entry);
    if (endpoint === undefined) return [];
    if (endpoint.port === undefined) return this.#byHost.get(endpoint.host) ?? [];
    return this.#byEndpoint.get(formatEndpoint(endpoint)) ?? [];
  }
}

function hostOf(worker: Worker): string {
  return parseEndpoint(worker.endpoint)?.host ?? "";
}

function push<W>(map: Map<string, W[]>, key: string, worker: W): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [worker]);
  else list.push(worker);
}

function drop<W>(map: Map<string, W[]>, key: string, worker: W): void {
  const rest = (map.get(key) ?? []).filter((other) => other !== worker);
  if (rest.length === 0) map.delete(key);
  else map.set(key, rest);
}
