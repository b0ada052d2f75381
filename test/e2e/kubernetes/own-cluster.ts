import type { KubeApiServer } from "../../support/kube-api/index.ts";
import type { ClusterUnderTest } from "./cluster-under-test.ts";

/** The tests' own API server as a cluster, which knows no rights. */
export function ownCluster(server: KubeApiServer): ClusterUnderTest {
  return {
    namespace: "serving",
    admin: server,
    picker: server,
    stopServer: () => server.stop(),
    startServer: () => server.restart(),
    refusals: async () =>
      server.requests.filter(({ status }) => status === 403).map(({ verb, kind }) => `${verb} ${kind.plural}`),
    stop: () => server.stop(),
  };
}
