import { describeFleet } from "../e2e/kubernetes/fleet-scenarios.ts";
import { KubeClient } from "../support/kube-api/index.ts";
import { pickerToken } from "./support/picker-account.ts";
import { RealCluster } from "./support/real-cluster.ts";

describeFleet("a fleet in Kubernetes, with a real API server and the rights of our Role", async () => {
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
});
