import type { ClusterUnderTest } from "../../e2e/kubernetes/cluster-under-test.ts";
import { KubeClient } from "../../support/kube-api/index.ts";
import { pickerToken } from "./picker-account.ts";
import { RealCluster } from "./real-cluster.ts";

/** A real API server at which the picker has the rights of the service account that we ship, and no others. */
export async function clusterWithOurRights(): Promise<ClusterUnderTest> {
  const cluster = await RealCluster.start();
  const namespace = "serving";
  await cluster.makeNamespace(namespace);
  const admin = new KubeClient(cluster.access(), namespace);
  const token = await pickerToken(admin);
  await admin.close();
  return {
    namespace,
    admin: cluster.access(),
    picker: cluster.access(token),
    stopServer: () => cluster.stopServer(),
    startServer: () => cluster.startServer(),
    refusals: () => cluster.refusals(),
    stop: () => cluster.stop(),
  };
}
