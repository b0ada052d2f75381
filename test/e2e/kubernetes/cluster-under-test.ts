import type { KubeAccess } from "../../support/kube-api/index.ts";

/** An API server for the scenarios of a fleet: the tests' own, or a real one. */
export interface ClusterUnderTest {
  /** The namespace of pool and pods. */
  readonly namespace: string;
  /** As whoever deploys pods. */
  readonly admin: KubeAccess;
  /** As the picker, with its rights. */
  readonly picker: KubeAccess;
  /** Ends the API server; what is stored stays. */
  stopServer(): Promise<void>;
  startServer(): Promise<void>;
  /** Requests of the picker that were refused for want of a right. */
  refusals(): Promise<readonly string[]>;
  stop(): Promise<void>;
}
