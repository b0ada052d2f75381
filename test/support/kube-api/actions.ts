import { isRecord, type KubeInput, type KubeObject, mergePatch, type ObjectMetadata } from "./kube-object.ts";
import type { ListPages } from "./list-pages.ts";
import type { RequestTarget } from "./request-target.ts";
import { badRequest, StatusError } from "./statuses.ts";
import type { VersionedStore } from "./versioned-store.ts";

/** What a client may do with a resource. */
export type Verb = "get" | "list" | "watch" | "create" | "update" | "patch" | "delete";

/** A request for anything but a watch. */
export interface Action {
  readonly verb: Exclude<Verb, "watch">;
  readonly target: RequestTarget;
  /** The body's value. */
  readonly body: unknown;
}

/** Does what a request asks for. @throws StatusError */
export function act(store: VersionedStore, lists: ListPages, action: Action): readonly [status: number, body: object] {
  const { verb, target, body } = action;
  const { kind, namespace = "", name = "", isStatus, query } = target;
  switch (verb) {
    case "list":
      return [200, lists.answer(target)];
    case "get":
      return [200, store.get(kind, namespace, name)];
    case "create":
      return [201, store.create(kind, namespace, inputOf(body))];
    case "delete":
      return [200, store.delete(kind, namespace, name, graceOf(query, body))];
    case "update":
      return [200, store.update(kind, namespace, name, (object) => replaced(object, inputOf(body), isStatus))];
    case "patch": {
      const patched = (object: KubeObject) => replaced(object, mergePatch(object, body) as KubeInput, isStatus);
      return [200, store.update(kind, namespace, name, patched)];
    }
  }
}

/** Status and the rest of an object are written by different requests: each leaves the other as it was. */
function replaced(object: KubeObject, input: KubeInput, isStatus: boolean): KubeObject {
  const version = input.metadata.resourceVersion ?? "";
  if (version !== "" && version !== object.metadata.resourceVersion) {
    throw new StatusError("the object has been modified", { code: 409, reason: "Conflict" });
  }
  if (isStatus) return { ...object, status: input.status };
  return { ...object, ...input, metadata: { ...input.metadata, ...ownMetadata(object) }, status: object.status };
}

/** The metadata that clients cannot change. */
function ownMetadata({ metadata }: KubeObject): Omit<ObjectMetadata, "labels" | "annotations" | "finalizers"> {
  const { labels: _labels, annotations: _annotations, finalizers: _finalizers, ...own } = metadata;
  return own;
}

function graceOf(query: URLSearchParams, body: unknown): number {
  const inBody = isRecord(body) ? body["gracePeriodSeconds"] : undefined;
  return Number(query.get("gracePeriodSeconds") ?? inBody ?? 0);
}

function inputOf(body: unknown): KubeInput {
  const metadata = isRecord(body) ? body["metadata"] : undefined;
  if (!isRecord(metadata) || typeof metadata["name"] !== "string") throw badRequest("metadata.name is missing");
  return body as KubeInput;
}
