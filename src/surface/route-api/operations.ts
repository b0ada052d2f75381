import type { Operation } from "../../http/index.ts";
import type { JsonReader } from "../../json/index.ts";
import type { DecisionLog, Partitions, Router, Selections, WorkerDirectory } from "../../router/index.ts";
import type { RequestTracer } from "../../telemetry/index.ts";
import { BodyReader } from "./body.ts";
import { decisionOperations } from "./decision-operations.ts";
import { dumpOperation } from "./dump-operation.ts";
import type { RouteApiOptions } from "./options.ts";
import { queryOperations } from "./query-operations.ts";
import type { RecoveryState } from "./recovery-state.ts";
import { type ReplicasOf, replicasOperation } from "./replicas-operation.ts";
import { type LeaseDesk, type OtherReplicaOf, reservationOperations } from "./reservation-operations.ts";
import { RouteWriter } from "./route-answer.ts";
import { routeOperations } from "./route-operations.ts";
import { selectOperations } from "./select-operations.ts";
import { SelectionWriter } from "./selection-answer.ts";
import { documentOperation, healthOperations, replicaSyncOperations } from "./service-operations.ts";
import type { WorkerSigns } from "./worker-answer.ts";
import { workerOperations } from "./worker-operations.ts";

/** What the route API stands on. */
export interface RouteApiDependencies {
  readonly router: Pick<Router, "prepare" | "lease" | "targetOf">;
  readonly selections: Selections;
  readonly partitions: Partitions;
  readonly workers: WorkerDirectory;
  readonly leases: LeaseDesk;
  readonly decisions: DecisionLog;
  readonly otherReplicaOf: OtherReplicaOf;
  /** Reads the bodies; that of the router, so that a client's strings are decoded once. */
  readonly json: JsonReader;
  /** What `/dump` answers. */
  readonly dump: () => Iterable<string>;
  /** Undefined when there are no peers to recover from. */
  readonly recovery: () => RecoveryState | undefined;
  readonly statusOf: WorkerSigns;
  readonly replicas: ReplicasOf;
  /** Whether requests can be answered: the models are loaded, and what peers know was fetched. */
  readonly isReady: () => boolean;
  /** Absent = there are no traces. */
  readonly tracer?: RequestTracer | undefined;
  /** Of this software, for the document. */
  readonly version: string;
}

/** Every operation of the route API: our own, and those of dynamo@1.6.1 select_service. */
export function routeApiOperations(dependencies: RouteApiDependencies, options: RouteApiOptions): readonly Operation[] {
  const { selections, workers, json, version } = dependencies;
  const bodies = new BodyReader(options.bounds, json);
  const common = { ...dependencies, bodies, options };
  const operations = [
    ...routeOperations({ ...common, writer: new RouteWriter(workers) }),
    ...reservationOperations(dependencies, bodies, options),
    ...workerOperations(common),
    ...selectOperations({ ...common, writer: new SelectionWriter(selections, workers) }),
    ...queryOperations(common),
    ...decisionOperations(dependencies.decisions),
    dumpOperation(common),
    replicasOperation(dependencies.replicas),
    ...replicaSyncOperations(bodies),
    ...healthOperations(dependencies),
  ];
  return [...operations, documentOperation(version, operations)];
}
