import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import type { Config } from "../../../src/config/index.ts";
import { only, pickerDeployment, pickerSettings } from "./picker-settings.ts";
import { inRepository, type Manifest } from "./tools.ts";
import { itIsASafeWorkload } from "./workload-suite.ts";

const reading = ["get", "list", "watch"];

/** All that the picker asks of the API: docs/kubernetes.md. */
const rights = [
  { apiGroups: [""], resources: ["pods"], verbs: reading },
  { apiGroups: ["inference.networking.k8s.io"], resources: ["inferencepools"], verbs: reading },
  {
    apiGroups: ["llm-d.ai", "inference.networking.x-k8s.io"],
    resources: ["inferenceobjectives", "inferencemodelrewrites"],
    verbs: reading,
  },
];

/** What holds for every set of manifests that installs a picker, however it was made. */
export function describeManifests(name: string, render: () => Promise<readonly Manifest[]>): void {
  describe(name, () => {
    let manifests: readonly Manifest[] = [];
    let settings: Config;
    beforeAll(async () => {
      manifests = await render();
      settings = await pickerSettings(manifests);
    });

    itIsASafeWorkload(() => ({ manifests, settings }));

    it("lets the picker read what it needs, and nothing else", () => {
      const role = only(manifests, "Role");
      expect(role["rules"]).toEqual(rights);
      expect(only(manifests, "RoleBinding")).toMatchObject({
        roleRef: { kind: "Role", name: role.metadata.name },
        subjects: [
          { kind: "ServiceAccount", namespace: "inference", name: only(manifests, "ServiceAccount").metadata.name },
        ],
      });
      const { serviceAccountName } = pickerDeployment(manifests)["spec"].template.spec;
      expect(serviceAccountName).toBe(only(manifests, "ServiceAccount").metadata.name);
      expect(manifests.filter(({ kind }) => kind.startsWith("Cluster"))).toEqual([]);
    });

    it("probes health where the picker answers it", () => {
      const { spec } = pickerDeployment(manifests)["spec"].template;
      const [{ livenessProbe, readinessProbe, ports }] = spec.containers;
      const port = Number(settings.health.listen.split(":").at(-1));
      expect(livenessProbe.grpc).toEqual({ port, service: "liveness" });
      expect(readinessProbe.grpc).toEqual({ port, service: "readiness" });
      expect(ports.map(({ containerPort }: { containerPort: number }) => containerPort)).toEqual(
        [settings.extProc.listen, settings.health.listen, settings.metrics.listen].map((listen) =>
          Number(listen.split(":").at(-1)),
        ),
      );
    });

    it("leads from the pool to the picker, and from the picker to the pool", () => {
      const pool = only(manifests, "InferencePool");
      const { name, port } = pool["spec"].endpointPickerRef;
      const service = only(manifests, "Service", name);
      const { labels } = pickerDeployment(manifests)["spec"].template.metadata;
      expect(labels).toMatchObject(service["spec"].selector);
      expect(service["spec"].ports.map((each: { port: number }) => each.port)).toContain(port.number);
      expect(settings.kubernetes.poolName).toBe(pool.metadata.name);
      for (const { spec } of manifests.filter(({ kind }) => kind === "HTTPRoute")) {
        expect(spec.rules[0].backendRefs[0].name).toBe(pool.metadata.name);
        expect(spec.parentRefs[0].name).toBe(only(manifests, "Gateway").metadata.name);
      }
    });

    it("scales by metrics that there are", () => {
      const known = readFileSync(inRepository("docs/metrics.md"), "utf8");
      for (const { spec } of manifests.filter(({ kind }) => kind === "HorizontalPodAutoscaler")) {
        const names = spec.metrics.flatMap(
          (each: { pods?: { metric: { name: string } } }) => each.pods?.metric.name ?? [],
        );
        expect(names).not.toEqual([]);
        for (const metric of names) expect(known).toContain(`| \`${metric}\` | gauge |`);
        expect(spec.scaleTargetRef.name).toBe(pickerDeployment(manifests).metadata.name);
        expect(pickerDeployment(manifests)["spec"].replicas).toBeUndefined();
      }
    });
  });
}
