import { readFileSync } from "node:fs";
import { type Document, isMap, isSeq, parseDocument } from "yaml";

/** One of the Envoy files that we ship: how bodies reach the picker, and how its choice is carried out. */
export interface EnvoyKind {
  readonly bodies: "full-duplex" | "buffered";
  readonly hosts: "original-dst" | "override-host";
}

/** All kinds that we ship a file for. */
export const envoyKinds: readonly EnvoyKind[] = [
  { bodies: "full-duplex", hosts: "override-host" },
  { bodies: "full-duplex", hosts: "original-dst" },
  { bodies: "buffered", hosts: "override-host" },
  { bodies: "buffered", hosts: "original-dst" },
];

/** The name of a kind's file without its ending, such as `buffered.original-dst`. */
export function kindName(kind: EnvoyKind): string {
  return `${kind.bodies}.${kind.hosts}`;
}

/** The shipped file of a kind. */
export function envoyFile(kind: EnvoyKind): URL {
  return new URL(`../../../envoy/${kindName(kind)}.yaml`, import.meta.url);
}

/** A change to a parsed Envoy file. */
export type ConfigPatch = (config: Document) => void;

/** The shipped file of `kind` with the patches applied in order, as YAML text. */
export function envoyConfig(kind: EnvoyKind, patches: readonly ConfigPatch[]): string {
  const config = parseDocument(readFileSync(envoyFile(kind), "utf8"));
  for (const patch of patches) patch(config);
  return config.toString();
}

type Path = readonly (string | number)[];

/** The `http_connection_manager` options of the one listener. */
export const connectionManagerPath: Path = [
  ...["static_resources", "listeners", 0, "filter_chains", 0, "filters", 0, "typed_config"],
];

/** The options of the ext_proc filter, wherever it stands among the HTTP filters. */
export function extProcPath(config: Document): Path {
  const filters = [...connectionManagerPath, "http_filters"];
  return [...filters, indexByName(config, filters, "envoy.filters.http.ext_proc"), "typed_config"];
}

/** The cluster of that name. */
export function clusterPath(config: Document, name: string): Path {
  const clusters = ["static_resources", "clusters"];
  return [...clusters, indexByName(config, clusters, name)];
}

/** Sets a member that is there already, so that a patch cannot miss its place unseen. */
export function replace(config: Document, path: Path, value: unknown): void {
  if (!config.hasIn(path)) throw new Error(`the Envoy file has no ${path.join(".")}`);
  config.setIn(path, config.createNode(value));
}

/** Deletes a member that is there. */
export function drop(config: Document, path: Path): void {
  if (!config.deleteIn(path)) throw new Error(`the Envoy file has no ${path.join(".")}`);
}

/** Adds or replaces a member. */
export function put(config: Document, path: Path, value: unknown): void {
  config.setIn(path, config.createNode(value));
}

function indexByName(config: Document, listPath: Path, name: string): number {
  const list = config.getIn(listPath);
  const index = isSeq(list) ? list.items.findIndex((item) => isMap(item) && item.get("name") === name) : -1;
  if (index < 0) throw new Error(`the Envoy file has no ${name} in ${listPath.join(".")}`);
  return index;
}
