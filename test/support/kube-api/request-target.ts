import type { KubeObject } from "./kube-object.ts";
import { apiVersionOf, type ResourceKind, resourceKinds } from "./resource-kinds.ts";
import { fieldSelector, labelSelector, SelectorError, type Selects } from "./selectors.ts";
import { badRequest, StatusError } from "./statuses.ts";

/** What a request's path and query are about. */
export interface RequestTarget {
  readonly kind: ResourceKind;
  /** undefined = all namespaces. */
  readonly namespace: string | undefined;
  /** undefined = the collection. */
  readonly name: string | undefined;
  readonly isStatus: boolean;
  readonly query: URLSearchParams;
  /** Whether the namespace, the name and both selectors select an object. */
  readonly selects: Selects;
}

/** Reads a resource's path. @returns undefined for any other path */
export function requestTarget(url: URL): RequestTarget | undefined {
  const match = /^\/(?:api|apis\/([^/]+))\/([^/]+)(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+)(\/status)?)?$/.exec(
    url.pathname,
  );
  if (match === null) return undefined;
  const [, group = "", version, namespace, plural, name, status] = match;
  const kind = resourceKinds.find((each) => each.group === group && each.version === version && each.plural === plural);
  if (kind === undefined) return undefined;
  const isMet = selectors(url.searchParams);
  const selects = (object: KubeObject): boolean =>
    (namespace === undefined || object.metadata.namespace === namespace) &&
    (name === undefined || object.metadata.name === name) &&
    isMet.every((selector) => selector(object));
  return { kind, namespace, name, isStatus: status !== undefined, query: url.searchParams, selects };
}

/** A version from the query; undefined when it is absent or empty. */
export function versionOf(query: URLSearchParams): number | undefined {
  const text = query.get("resourceVersion") ?? "";
  if (text === "") return undefined;
  if (!/^\d+$/.test(text)) throw badRequest(`Invalid resource version ${text}`);
  return Number(text);
}

/** What an unallowed request is answered with. */
export function forbidden(verb: string, { kind, namespace }: RequestTarget): StatusError {
  const scope = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const resource = `resource "${kind.plural}" in API group "${kind.group}" ${scope}`;
  const message = `${kind.plural}${kind.group === "" ? "" : `.${kind.group}`} is forbidden: User "picker" cannot ${verb} ${resource}`;
  return new StatusError(message, { code: 403, reason: "Forbidden" });
}

/** The body of API discovery for one path. @returns undefined for any other path */
export function discovery(pathname: string, served: readonly ResourceKind[]): object | undefined {
  const groups = [...new Set(served.filter(({ group }) => group !== "").map(apiVersionOf))];
  if (pathname === "/version") return { major: "1", minor: "34", gitVersion: "v1.34.0-test" };
  if (pathname === "/api") return { kind: "APIVersions", versions: ["v1"] };
  if (pathname === "/apis") {
    const versions = groups.map((groupVersion) => ({ groupVersion, version: groupVersion.split("/")[1] }));
    const entry = (each: (typeof versions)[number]) => ({
      name: each.groupVersion.split("/")[0],
      versions: [each],
      preferredVersion: each,
    });
    return { kind: "APIGroupList", apiVersion: "v1", groups: versions.map(entry) };
  }
  const groupVersion = pathname.replace(/^\/apis?\//, "");
  const kinds = served.filter((kind) => apiVersionOf(kind) === groupVersion);
  if (kinds.length === 0) return undefined;
  const verbs = ["create", "delete", "get", "list", "patch", "update", "watch"];
  const resources = kinds.map(({ plural, kind }) => ({
    name: plural,
    singularName: "",
    namespaced: true,
    kind,
    verbs,
  }));
  return { kind: "APIResourceList", apiVersion: "v1", groupVersion, resources };
}

function selectors(query: URLSearchParams): readonly Selects[] {
  try {
    return [labelSelector(query.get("labelSelector") ?? ""), fieldSelector(query.get("fieldSelector") ?? "")];
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(`unable to parse requirement: ${error.message}`);
    throw error;
  }
}
