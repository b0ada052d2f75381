import { expect, it } from "vitest";
import type { Config } from "../../../src/config/index.ts";
import { only, pickerDeployment } from "./picker-settings.ts";
import { PublishedSchemas } from "./schemas.ts";
import type { Manifest } from "./tools.ts";

/** What was rendered, and the settings that its pods run with. */
export interface Rendered {
  readonly manifests: readonly Manifest[];
  readonly settings: Config;
}

const schemas = new PublishedSchemas();

/** What holds for every installation, whatever its mode. @param rendered asked within each test */
export function itIsASafeWorkload(rendered: () => Rendered): void {
  it("is what the published schemas allow", () => {
    const { manifests } = rendered();
    expect(manifests.flatMap((manifest) => schemas.faultsOf(manifest))).toEqual([]);
    expect(JSON.stringify(manifests)).not.toContain("SET-BY-A-COMPONENT");
  });

  it("is in one namespace, each object once", () => {
    const { manifests } = rendered();
    const ids = manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(manifests.map(({ metadata }) => metadata.namespace))).toEqual(new Set(["inference"]));
  });

  it("runs every container without rights, on a root that cannot be written", () => {
    for (const { spec } of rendered().manifests.filter(({ kind }) => kind === "Deployment")) {
      const pod = spec.template.spec;
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
      expect(pod.securityContext.runAsUser).toBeGreaterThan(0);
      for (const { securityContext, resources } of pod.containers) {
        expect(securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ["ALL"] },
        });
        expect(resources).toMatchObject({ requests: { cpu: expect.anything(), memory: expect.anything() } });
        expect(resources.limits).toHaveProperty("memory");
      }
    }
  });

  it("is ended after its drain, and taken out of service before it refuses anything", () => {
    const { manifests, settings } = rendered();
    const { spec } = pickerDeployment(manifests)["spec"].template;
    const [{ readinessProbe }] = spec.containers;
    const { readinessDelayMs, drainTimeoutMs } = settings.shutdown;
    expect(spec.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(readinessDelayMs + drainTimeoutMs);
    expect(readinessDelayMs).toBeGreaterThanOrEqual(
      readinessProbe.periodSeconds * 1_000 * readinessProbe.failureThreshold,
    );
  });

  it("guards, spreads and covers the pods by their own labels", () => {
    const { manifests } = rendered();
    const { template, selector } = pickerDeployment(manifests)["spec"];
    const chosen = [
      selector.matchLabels,
      only(manifests, "NetworkPolicy")["spec"].podSelector.matchLabels,
      only(manifests, "PodDisruptionBudget")["spec"].selector.matchLabels,
      template.spec.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm
        .labelSelector.matchLabels,
      template.spec.topologySpreadConstraints[0].labelSelector.matchLabels,
    ];
    for (const labels of chosen) {
      expect(labels).toEqual(selector.matchLabels);
      expect(template.metadata.labels).toMatchObject(labels);
    }
  });
}
