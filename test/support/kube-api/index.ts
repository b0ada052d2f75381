export type { Verb } from "./actions.ts";
export {
  type KubeApiOptions,
  KubeApiServer,
  type RequestFault,
  type SeenRequest,
} from "./kube-api-server.ts";
export { type KubeAccess, KubeClient, kubeconfig } from "./kube-client.ts";
export type { KubeInput, KubeObject, ObjectMetadata } from "./kube-object.ts";
export {
  collectionPath,
  inferenceModelRewrites,
  inferenceObjectives,
  inferencePools,
  pods,
  type ResourceKind,
} from "./resource-kinds.ts";
export { StatusError } from "./statuses.ts";
export type { WatchCut } from "./watch-stream.ts";
