import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { KubeClient } from "../support/kube-api/index.ts";
import { pickerToken } from "./support/picker-account.ts";
import { RealCluster } from "./support/real-cluster.ts";

describe("the service account that we ship", () => {
  let cluster: RealCluster;
  let token = "";

  beforeAll(async () => {
    cluster = await RealCluster.start();
    for (const namespace of ["serving", "other"]) await cluster.makeNamespace(namespace);
    const admin = new KubeClient(cluster.access(), "serving");
    token = await pickerToken(admin);
    await admin.close();
  });

  afterAll(async () => cluster?.stop());

  async function statusOf(method: "GET" | "POST" | "DELETE", path: string): Promise<number> {
    const client = new KubeClient(cluster.access(token), "serving");
    try {
      const { statusCode, body } = await client.request(method, path, method === "GET" ? undefined : {});
      await body.dump();
      return statusCode;
    } finally {
      await client.close();
    }
  }

  const pool = "/apis/inference.networking.k8s.io/v1/namespaces/serving/inferencepools";
  const groups = ["llm-d.ai", "inference.networking.x-k8s.io"];
  const policies = groups.flatMap((group) =>
    ["inferenceobjectives", "inferencemodelrewrites"].map(
      (plural) => `/apis/${group}/v1alpha2/namespaces/serving/${plural}`,
    ),
  );

  it.each(["/api/v1/namespaces/serving/pods", pool, ...policies])("may list %s", async (path) => {
    expect(await statusOf("GET", path)).toBe(200);
  });

  it.each([
    ["GET", "/api/v1/namespaces/serving/secrets"],
    ["GET", "/api/v1/namespaces/serving/configmaps"],
    ["GET", "/api/v1/namespaces/other/pods"],
    ["GET", "/api/v1/pods"],
    ["GET", "/apis/inference.networking.k8s.io/v1/inferencepools"],
    ["POST", "/api/v1/namespaces/serving/pods"],
    ["DELETE", "/api/v1/namespaces/serving/pods/a"],
    ["POST", pool],
    ["DELETE", `${pool}/pool`],
    ["POST", "/apis/coordination.k8s.io/v1/namespaces/serving/leases"],
  ] as const)("may not %s %s", async (method, path) => {
    expect(await statusOf(method, path)).toBe(403);
  });
});
