import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { envoyConfig } from "../../scripts/kubernetes/envoy-config.ts";
import { describeManifests } from "./support/manifest-suite.ts";
import { only, pickerSettings } from "./support/picker-settings.ts";
import { inRepository, kustomize } from "./support/tools.ts";

const gateways = readdirSync(inRepository("k8s/overlays"));
const kinds = ["aggregated", "disaggregated"] as const;

it("there is an overlay for each gateway and each kind", () => {
  expect(gateways).toEqual(["agentgateway", "envoy", "envoy-gateway", "gke", "istio", "kgateway"]);
});

describeManifests("the base", () => kustomize("k8s/base"));

for (const gateway of gateways) {
  for (const kind of kinds) {
    const folder = `k8s/overlays/${gateway}/${kind}`;
    describeManifests(folder, () => kustomize(folder));
  }
}

/** A kustomization of its own in `k8s/`, since components are named relative to it. */
async function withComponents(components: readonly string[]) {
  const folder = await mkdtemp(inRepository("k8s/test-"));
  try {
    const lists = { resources: ["../base"], components: components.map((name) => `../components/${name}`) };
    await writeFile(`${folder}/kustomization.yaml`, JSON.stringify({ namespace: "inference", ...lists }));
    return await kustomize(folder.slice(inRepository("").length));
  } finally {
    await rm(folder, { recursive: true });
  }
}

describeManifests("the base with all that can be added", () =>
  withComponents(["istio", "disaggregated", "autoscaler", "shared-load"]),
);

describe("what overlays set", () => {
  it.each(gateways)("%s: prefill and decode workers", async (gateway) => {
    const [whole, split] = await Promise.all(kinds.map((kind) => kustomize(`k8s/overlays/${gateway}/${kind}`)));
    expect((await pickerSettings(whole ?? [])).kubernetes.workers.headers.prefillHost).toBe(false);
    expect((await pickerSettings(split ?? [])).kubernetes.workers.headers.prefillHost).toBe(true);
    const failureMode = (manifests = whole) =>
      only(manifests ?? [], "InferencePool")["spec"].endpointPickerRef.failureMode;
    expect([failureMode(), failureMode(split)]).toEqual(["FailOpen", "FailClose"]);
  });

  it("agentgateway: plain text", async () => {
    const manifests = await kustomize("k8s/overlays/agentgateway/disaggregated");
    expect((await pickerSettings(manifests)).extProc.tls.mode).toBe("off");
  });

  it.each(["istio", "kgateway", "envoy-gateway", "gke", "envoy"])("%s: TLS", async (gateway) => {
    const manifests = await kustomize(`k8s/overlays/${gateway}/disaggregated`);
    expect((await pickerSettings(manifests)).extProc.tls.mode).toBe("self-signed");
  });

  it("shared load: a password from a mounted secret", async () => {
    const { redis } = (await pickerSettings(await withComponents(["shared-load"]))).replicas;
    expect(redis).toMatchObject({ url: "redis://redis:6379", passwordFile: expect.stringMatching(/\/password$/) });
  });

  it("Envoy's settings are those of envoy/", async () => {
    expect(readFileSync(inRepository("k8s/components/envoy/envoy.yaml"), "utf8")).toBe(envoyConfig());
    const manifests = await kustomize("k8s/overlays/envoy/disaggregated");
    expect(only(manifests, "Service", "workers")["spec"].selector).toEqual({
      app: "qwen3-8b",
      "llm-d.ai/role": "decode",
    });
    for (const name of ["workers", "pickers"]) expect(envoyConfig()).toContain(`address: ${name}, port_value:`);
  });
});
