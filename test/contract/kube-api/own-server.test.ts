import { KubeApiServer } from "../../support/kube-api/index.ts";
import { describeKubeApi } from "./kube-api-suite.ts";

describeKubeApi("the tests' own API server", async () => {
  const server = await KubeApiServer.start();
  return { access: server, makeNamespace: async () => undefined, stop: () => server.stop() };
});
