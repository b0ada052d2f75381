import { describe, expect, it } from "vitest";
import { describeManifests } from "./support/manifest-suite.ts";
import { only, pickerDeployment, pickerSettings } from "./support/picker-settings.ts";
import { type ChartValues, helmLint, helmTemplate, kustomize } from "./support/tools.ts";

const needed: ChartValues = { "pool.selector": { app: "qwen3-8b" } };
const gateways = ["none", "istio", "kgateway", "envoy-gateway", "gke", "agentgateway"];

for (const kind of gateways) {
  describeManifests(`the chart for ${kind}`, () => helmTemplate({ ...needed, "gateway.kind": kind }));
  describeManifests(`the chart for ${kind}, disaggregated, with everything on`, () =>
    helmTemplate({
      ...needed,
      "gateway.kind": kind,
      disaggregated: true,
      autoscaling: { enabled: true },
      imagePullSecrets: [{ name: "registry" }],
      "image.digest": `sha256:${"0".repeat(64)}`,
      secretMounts: [{ secretName: "redis", mountPath: "/etc/redis" }],
      "config.replicas": { redis: { url: "redis://redis:6379", passwordFile: "/etc/redis/password" } },
      "networkPolicy.extraEgress": [{ ports: [{ protocol: "TCP", port: 6379 }] }],
      modelCache: { persistentVolumeClaim: "models" },
      tolerations: [{ key: "gateway", operator: "Exists" }],
      nodeSelector: { pool: "gateway" },
      priorityClassName: "high",
      podLabels: { team: "a" },
      "serviceAccount.annotations": { owner: "a" },
      "route.hostnames": ["llm.example.com"],
      env: [{ name: "POINTSMAN_LOG_LEVEL", value: "debug" }],
    }),
  );
}

describe("the chart", () => {
  it("passes Helm's own checks", async () => {
    expect(await helmLint(needed)).toContain("0 chart(s) failed");
  });

  it.each(gateways.filter((kind) => kind !== "none"))("makes for %s what the overlay makes", async (kind) => {
    const [chart, overlay] = await Promise.all([
      helmTemplate({ ...needed, "pool.name": "qwen3-8b", "gateway.kind": kind }),
      kustomize(`k8s/overlays/${kind}/aggregated`),
    ]);
    const kindsOf = (manifests: typeof chart) => manifests.map((each) => `${each.apiVersion} ${each.kind}`).sort();
    expect(kindsOf(chart)).toEqual(kindsOf(overlay));
    expect(await pickerSettings(chart)).toEqual(await pickerSettings(overlay));
    for (const name of ["NetworkPolicy", "Gateway"]) {
      const specOf = (manifests: typeof chart) => {
        const { podSelector: _, ...rest } = only(manifests, name)["spec"];
        return rest;
      };
      expect(specOf(chart)).toEqual(specOf(overlay));
    }
  });

  it("rolls the pods out when the settings change", async () => {
    const checksum = async (values: ChartValues) =>
      pickerDeployment(await helmTemplate({ ...needed, ...values }))["spec"].template.metadata.annotations[
        "checksum/config"
      ];
    expect(await checksum({ "config.routing": { maxFallbacks: 1 } })).not.toBe(await checksum({}));
  });

  it("lets the settings of the values win over its own", async () => {
    const manifests = await helmTemplate({
      ...needed,
      "gateway.kind": "agentgateway",
      "config.extProc": { tls: { mode: "self-signed" } },
      "config.shutdown": { drainTimeoutMs: 1_000 },
    });
    expect(await pickerSettings(manifests)).toMatchObject({
      extProc: { tls: { mode: "self-signed" } },
      shutdown: { drainTimeoutMs: 1_000, readinessDelayMs: 5_000 },
    });
  });

  it("leaves out what is switched off", async () => {
    const off = { "pool.create": false, "networkPolicy.enabled": false, "podDisruptionBudget.enabled": false };
    const kinds = (await helmTemplate({ ...off, "serviceAccount.create": false })).map(({ kind }) => kind).sort();
    expect(kinds).toEqual(["ConfigMap", "Deployment", "Role", "RoleBinding", "Service"]);
  });
});

describe("values that are wrong", () => {
  it.each<[string, ChartValues, string]>([
    ["a name that is not there", { replica: 3 }, "'replica' not allowed"],
    ["a name in a section", { image: { tags: "1" } }, "'tags' not allowed"],
    ["a number that is none", { replicas: "three" }, "/replicas"],
    ["a pool of no pods", { "pool.selector": {} }, "/pool/selector"],
    ["nine ports", { "pool.targetPorts": [1, 2, 3, 4, 5, 6, 7, 8, 9] }, "/pool/targetPorts"],
    ["a port twice", { "pool.targetPorts": [8000, 8000] }, "/pool/targetPorts"],
    ["a gateway that is not known", { "gateway.kind": "nginx" }, "/gateway/kind"],
    ["another failure mode", { "pool.failureMode": "Open" }, "/pool/failureMode"],
    [
      "a setting of the picker that is not there",
      { "config.extProc": { maxBodyByte: 1 } },
      "'maxBodyByte' not allowed",
    ],
    [
      "a setting of the picker of another type",
      { "config.routing": { maxFallbacks: "two" } },
      "/config/routing/maxFallbacks",
    ],
    ["a choice of the picker that is none", { "config.extProc": { tls: { mode: "on" } } }, "/config/extProc/tls/mode"],
    ["a network that is none", { "gateway.proxyCidrs": ["everyone"] }, "/gateway/proxyCidrs"],
  ])("%s", async (_name, values, message) => {
    await expect(helmTemplate({ ...needed, ...values })).rejects.toThrow(message);
  });
});
