import type { KubernetesObserver } from "../fleet/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** Writes what happens to a fleet in Kubernetes. */
export function kubernetesLog(log: Logger): KubernetesObserver {
  return {
    poolFound: ({ selector, targetPorts, isH2c }) =>
      log.info({ selector: Object.fromEntries(selector), targetPorts, isH2c }, "the pool's pods are followed"),
    poolGone: (pool) => log.warn({ pool }, "there is no such InferencePool: nothing can be picked"),
    poolRefused: (pool, fault) => log.error({ pool, fault }, "the InferencePool cannot be used: nothing can be picked"),
    lost: (resource, err, pauseMs) =>
      log.warn({ resource, err, pauseMs: Math.round(pauseMs) }, "the Kubernetes API fails; what was known last stands"),
    recovered: (resource) => log.info({ resource }, "the Kubernetes API answers again"),
    missing: (resource) => log.warn({ resource }, "the Kubernetes API knows no such resource; it is asked again later"),
    overflowed: (resource, most) => log.error({ resource, most }, "there are more objects than are looked at"),
    refusedSetting: (pod, key, value, expected) =>
      log.warn({ pod, key, value: value.slice(0, 256), expected }, "a setting of a pod is passed over"),
    refusedId: (pod, id) => log.error({ pod, workerId: id.toString() }, "a pod is not used: another worker has its id"),
  };
}
