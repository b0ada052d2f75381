import { KubeApiServer } from "../../support/kube-api/index.ts";
import { describeFleet } from "./fleet-scenarios.ts";
import { ownCluster } from "./own-cluster.ts";

describeFleet("a fleet in Kubernetes, with the tests' own API server", async () => {
  return ownCluster(await KubeApiServer.start());
});
