/** A kind of resource that the server knows, and where its collections lie. All of them are namespaced. */
export interface ResourceKind {
  /** "" = the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /** Served only while its CustomResourceDefinition is there. */
  readonly isCustom: boolean;
}

function custom(group: string, version: string, plural: string, kind: string): ResourceKind {
  return { group, version, plural, kind, isCustom: true };
}

export const pods: ResourceKind = { group: "", version: "v1", plural: "pods", kind: "Pod", isCustom: false };

export const inferencePools = custom("inference.networking.k8s.io", "v1", "inferencepools", "InferencePool");

/** Both groups in which the kind exists, the newer one first. */
export const inferenceObjectives = {
  current: custom("llm-d.ai", "v1alpha2", "inferenceobjectives", "InferenceObjective"),
  legacy: custom("inference.networking.x-k8s.io", "v1alpha2", "inferenceobjectives", "InferenceObjective"),
} as const;

/** Both groups in which the kind exists, the newer one first. */
export const inferenceModelRewrites = {
  current: custom("llm-d.ai", "v1alpha2", "inferencemodelrewrites", "InferenceModelRewrite"),
  legacy: custom("inference.networking.x-k8s.io", "v1alpha2", "inferencemodelrewrites", "InferenceModelRewrite"),
} as const;

/** All that the server serves. */
export const resourceKinds: readonly ResourceKind[] = [
  pods,
  inferencePools,
  inferenceObjectives.current,
  inferenceObjectives.legacy,
  inferenceModelRewrites.current,
  inferenceModelRewrites.legacy,
];

/** `v1` or `group/v1`, as objects bear it. */
export function apiVersionOf({ group, version }: ResourceKind): string {
  return group === "" ? version : `${group}/${version}`;
}

/** Path of a collection, over all namespaces when none is given. */
export function collectionPath(kind: ResourceKind, namespace?: string): string {
  const root = kind.group === "" ? "/api" : "/apis";
  const scope = namespace === undefined ? "" : `/namespaces/${namespace}`;
  return `${root}/${apiVersionOf(kind)}${scope}/${kind.plural}`;
}
