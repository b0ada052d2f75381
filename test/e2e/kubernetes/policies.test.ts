import { KubeApiServer } from "../../support/kube-api/index.ts";
import { ownCluster } from "./own-cluster.ts";
import { describePolicies } from "./policy-scenarios.ts";

describePolicies("objectives and rewrites, with the tests' own API server", async () => {
  return ownCluster(await KubeApiServer.start());
});
