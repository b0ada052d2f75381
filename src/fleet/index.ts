export type { CatalogueListener } from "./catalogue.ts";
export { Catalogue } from "./catalogue.ts";
export type { Endpoint } from "./endpoint.ts";
export { canonicalEndpoint, formatEndpoint, parseEndpoint } from "./endpoint.ts";
export { type EngineObserver, EnginePoller, type EnginePollerOptions } from "./engine-metrics/engine-poller.ts";
export { HttpMetricsPages } from "./engine-metrics/metrics-page.ts";
export type { EngineFigures } from "./engine-metrics/parse-figures.ts";
export type { HandoverApi, HandoverProtocol, HandoverSettings } from "./handover.ts";
export type { HealthOptions } from "./health-options.ts";
export { HealthProber } from "./health-prober.ts";
export { HttpProbe } from "./http-probe.ts";
export { ClusterClient, type ClusterOptions } from "./kubernetes/cluster-client.ts";
export type { KubeApi, KubeQuery } from "./kubernetes/kube-api.ts";
export {
  type EndpointSource,
  KubernetesFleet,
  type KubernetesFleetEnvironment,
  type KubernetesFleetOptions,
  type KubernetesObserver,
} from "./kubernetes/kubernetes-fleet.ts";
export type { RewriteRule } from "./kubernetes/model-rewrites.ts";
export type { PodDefaults } from "./kubernetes/pod-settings.ts";
export type { FleetModel, FleetModels } from "./kubernetes/pod-workers.ts";
export { type PoolSpec, parseLabelSelector } from "./kubernetes/pool.ts";
export { type PoliciesSink, PoolPolicies, type PoolPoliciesOptions } from "./kubernetes/pool-policies.ts";
export type { RegisteredWorker, RegisteredWorkersOptions, WorkerLifecycle } from "./registered-workers.ts";
export { RegisteredWorkers } from "./registered-workers.ts";
export type { StaticWorkerEntry } from "./static-fleet.ts";
export { staticWorkers } from "./static-fleet.ts";
export { systemTimers, type Timers } from "./timers.ts";
export type {
  KvEventSource,
  ScoringCapability,
  Worker,
  WorkerHeaderSettings,
  WorkerHealth,
  WorkerId,
  WorkerRank,
  WorkerRole,
  WorkerSpec,
} from "./worker.ts";
export { parseWorkerId, workerIdFromName } from "./worker-id.ts";
export type { WorkerPatch, WorkerRegistration } from "./worker-registration.ts";
export type { WorkerTlsOf } from "./worker-tls.ts";
