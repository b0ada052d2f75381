import { readdirSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { helmTemplate, inRepository, kustomize, type Manifest } from "../manifests/support/tools.ts";
import { KubeClient } from "../support/kube-api/index.ts";
import { RealCluster } from "./support/real-cluster.ts";

const namespace = "inference";

/** Kinds of gateways that the server does not know: their schemas are checked in `test/manifests`. */
const foreign = /^(gateway\.networking\.k8s\.io|networking\.istio\.io|gateway\.envoyproxy\.io|networking\.gke\.io)\//;

describe("manifests at a real API server", () => {
  let cluster: RealCluster;
  let client: KubeClient;
  const resources = new Map<string, string>();

  beforeAll(async () => {
    cluster = await RealCluster.start();
    await cluster.makeNamespace(namespace);
    client = new KubeClient(cluster.access(), namespace);
  });

  afterAll(async () => {
    await client?.close();
    await cluster?.stop();
  });

  /** Path of the collection of a kind, as the server tells it. */
  async function collectionOf({ apiVersion, kind }: Manifest): Promise<string> {
    const root = `${apiVersion === "v1" ? "/api" : "/apis"}/${apiVersion}`;
    if (!resources.has(`${apiVersion}/${kind}`)) {
      const { resources: served } = (await client.send("GET", root)) as unknown as {
        resources: readonly { name: string; kind: string }[];
      };
      for (const { name, kind: each } of served) {
        if (!name.includes("/")) resources.set(`${apiVersion}/${each}`, name);
      }
    }
    const plural = resources.get(`${apiVersion}/${kind}`);
    if (plural === undefined) throw new Error(`the server does not know ${apiVersion} ${kind}`);
    return `${root}/namespaces/${namespace}/${plural}`;
  }

  /** What the server says of each object: nothing, when it would take it as it is, each member known. */
  async function objections(manifests: readonly Manifest[]): Promise<readonly string[]> {
    const said: string[] = [];
    for (const manifest of manifests.filter(({ apiVersion }) => !foreign.test(apiVersion))) {
      const path = `${await collectionOf(manifest)}?dryRun=All&fieldValidation=Strict`;
      const { statusCode, headers, body } = await client.request("POST", path, manifest);
      const text = await body.text();
      if (statusCode !== 201) said.push(`${manifest.kind} ${manifest.metadata.name}: ${statusCode} ${text}`);
      if (headers["warning"] !== undefined)
        said.push(`${manifest.kind} ${manifest.metadata.name}: ${headers["warning"]}`);
    }
    return said;
  }

  it("has objections to a manifest with a mistake", async () => {
    const [pool] = (await kustomize("k8s/base")).filter(({ kind }) => kind === "InferencePool");
    if (pool === undefined) throw new Error("the base has no InferencePool");
    const mistaken = { ...pool, spec: { ...pool["spec"], targetPorts: [], targetPort: 8_000 } };
    expect(await objections([mistaken])).toHaveLength(1);
  });

  const overlays = readdirSync(inRepository("k8s/overlays")).flatMap((gateway) =>
    ["aggregated", "disaggregated"].map((kind) => `k8s/overlays/${gateway}/${kind}`),
  );

  it.each(["k8s/base", ...overlays])("accepts %s", async (folder) => {
    expect(await objections(await kustomize(folder))).toEqual([]);
  });

  const needed = { "pool.selector": { app: "qwen3-8b" } };
  const everything = {
    ...needed,
    disaggregated: true,
    autoscaling: { enabled: true },
    imagePullSecrets: [{ name: "registry" }],
    secretMounts: [{ secretName: "redis", mountPath: "/etc/redis" }],
    "networkPolicy.extraEgress": [{ ports: [{ protocol: "TCP", port: 6_379 }] }],
    tolerations: [{ key: "gateway", operator: "Exists" }],
    nodeSelector: { pool: "gateway" },
    podLabels: { team: "a" },
  };

  it.each([needed, everything])("accepts what the chart makes of %o", async (values) => {
    expect(await objections(await helmTemplate(values))).toEqual([]);
  });

  it.each(["queue", "proxy"])("accepts what the chart makes of the example for the mode %s", async (mode) => {
    expect(await objections(await helmTemplate({}, [`k8s/examples/values-${mode}.yaml`]))).toEqual([]);
  });
});
