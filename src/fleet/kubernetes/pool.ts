import { isPort, listOf, memberOf, textOf, textsOf, wholeNumberOf } from "./fields.ts";

/** Which pods are endpoints, and on which of their ports. */
export interface PoolSpec {
  /** Labels that a pod must have, all of them. Never empty. */
  readonly selector: ReadonlyMap<string, string>;
  /** In the order of the pool; container ports by number, or by name where no pool says it. */
  readonly targetPorts: readonly (number | string)[];
  /** Whether the pods speak HTTP/2 without TLS. */
  readonly isH2c: boolean;
}

/** Most ports that the API allows. Source: InferencePool v1, spec.targetPorts. */
const maxPorts = 8;

/** The group of pools that references name none of. */
export const defaultPoolGroup = "inference.networking.k8s.io";

/** The group in which pools were before v1: one port, and a selector without `matchLabels`. */
export const experimentalGroup = "inference.networking.x-k8s.io";

/** What a pool says; `deleted` = it is being deleted, which counts as gone. */
export type PoolReading = PoolSpec | "deleted" | { readonly fault: string };

/** Reads an InferencePool, v1 or v1alpha2. */
export function readPool(object: unknown): PoolReading {
  if (memberOf(object, "metadata", "deletionTimestamp") !== undefined) return "deleted";
  const spec = memberOf(object, "spec");
  const selector = textsOf(memberOf(spec, "selector", "matchLabels") ?? memberOf(spec, "selector"));
  if (selector.size === 0) return { fault: "spec.selector.matchLabels is empty" };
  const ports = portsOf(spec);
  if (typeof ports === "string") return { fault: ports };
  const isH2c = textOf(memberOf(spec, "appProtocol")) === "kubernetes.io/h2c";
  return { selector, targetPorts: ports, isH2c };
}

function portsOf(spec: unknown): readonly number[] | string {
  const single = wholeNumberOf(memberOf(spec, "targetPortNumber"));
  const listed = listOf(memberOf(spec, "targetPorts")).map((entry) => wholeNumberOf(memberOf(entry, "number")));
  const numbers = listed.length === 0 && single !== undefined ? [single] : listed;
  if (numbers.length === 0 || numbers.length > maxPorts) return `spec.targetPorts must have 1 to ${maxPorts} entries`;
  const ports = numbers.filter(isPort);
  if (ports.length < numbers.length) return "spec.targetPorts: number must be from 1 to 65535";
  return new Set(ports).size < ports.length ? "spec.targetPorts: a number is there twice" : ports;
}

/** Labels written as `app=vllm,tier=large`; what has no `=` is passed over. */
export function parseLabelSelector(text: string): ReadonlyMap<string, string> {
  const terms = text.split(",").map((term) => term.trim().split("="));
  return new Map(terms.flatMap(([key, value]) => (key && value !== undefined ? [[key, value] as const] : [])));
}

/** A selector of labels as the API takes it in a query. */
export function labelSelectorOf(selector: ReadonlyMap<string, string>): string {
  return [...selector].map(([key, value]) => `${key}=${value}`).join(",");
}

/** Whether two pools mean the same endpoints. */
export function isSamePool(a: PoolSpec | undefined, b: PoolSpec | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return isSameSelector(a, b) && a.isH2c === b.isH2c && a.targetPorts.join() === b.targetPorts.join();
}

export function isSameSelector(a: PoolSpec, b: PoolSpec): boolean {
  return a.selector.size === b.selector.size && [...a.selector].every(([key, value]) => b.selector.get(key) === value);
}
