import { describeKubeApi } from "../contract/kube-api/kube-api-suite.ts";
import { RealCluster } from "./support/real-cluster.ts";

describeKubeApi("a real API server", async () => {
  const cluster = await RealCluster.start();
  return {
    access: cluster.access(),
    makeNamespace: (name) => cluster.makeNamespace(name),
    stop: () => cluster.stop(),
  };
});
