import { KubeApiServer } from "../../support/kube-api/index.ts";
import { describeFleet } from "./fleet-scenarios.ts";

describeFleet("a fleet in Kubernetes, with the tests' own API server", async () => {
  const server = await KubeApiServer.start();
  return {
    namespace: "serving",
    admin: server,
    picker: server,
    stopServer: () => server.stop(),
    startServer: () => server.restart(),
    stop: () => server.stop(),
  };
});
