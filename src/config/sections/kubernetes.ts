import { z } from "zod";
import { checkedText, count, milliseconds } from "../setting-types.ts";
import { handover, headers, scoring } from "./workers.ts";

const dnsName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/;

/** The name of an object of the API. */
function objectName() {
  return checkedText((text) =>
    text.length <= 253 && dnsName.test(text) ? undefined : "expected a name of the Kubernetes API: a-z, 0-9, - and .",
  );
}

/** A port by its number, or by the name that a container gives it. */
function podPort() {
  return checkedText((text) => {
    if (/^\d+$/.test(text)) {
      return Number(text) >= 1 && Number(text) <= 65_535 ? undefined : "expected a port from 1 to 65535";
    }
    const isPortName = /^(?=.*[a-z])[a-z0-9]([-a-z0-9]{0,13}[a-z0-9])?$/.test(text);
    return isPortName ? undefined : "expected a port number or the name of a container's port";
  });
}

const labelKey = /^([a-z0-9.-]{1,253}\/)?[A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?$/;
const labelValue = /^([A-Za-z0-9]([\w.-]{0,61}[A-Za-z0-9])?)?$/;

function selector() {
  return checkedText((text) => {
    const terms = text.split(",").map((term) => term.trim().split("="));
    const isFine = terms.every(
      ([key = "", value, ...rest]) =>
        labelKey.test(key) && value !== undefined && labelValue.test(value) && rest.length === 0,
    );
    const isOnce = new Set(terms.map(([key]) => key)).size === terms.length;
    return isFine && isOnce ? undefined : "expected labels as app=vllm,tier=large, each key once";
  });
}

const podPorts = z
  .strictObject({
    kvEvents: podPort()
      .optional()
      .describe(
        "Where pods publish KV events (vLLM: 5557); rank i uses port + i. Absent = only pods that say so publish any.",
      ),
    kvReplay: podPort()
      .optional()
      .describe("Where they replay past KV events; likewise. Absent = only pods that say so do."),
    metrics: podPort()
      .optional()
      .describe(
        "Where the engine's metrics page is; port + i for the i-th port of the pool. Absent = at the endpoint.",
      ),
  })
  .prefault({})
  .describe("Ports of the pods, each by its number or by the name of a container's port.");

const roleHandover = handover
  .extend({ role: z.enum(["prefill", "decode"]).describe("Role of the pods that it is about.") })
  .describe("How pods of a role take part in requests that the proxy splits, as `workers[].handover`.");

const podDefaults = z
  .strictObject({
    role: z
      .enum(["aggregated", "prefill", "decode", "encode"])
      .default("aggregated")
      .describe("Role of a pod whose labels do not say it."),
    dpSize: count(1).max(4096).default(1).describe("Data-parallel ranks behind each port of a pod."),
    ports: podPorts,
    totalKvBlocks: count(1).optional().describe("KV blocks that a rank can hold. Absent = not known."),
    headers,
    scoring: scoring.optional(),
  })
  .prefault({})
  .describe("What pods are taken for that do not say otherwise by labels and annotations (docs/kubernetes.md).");

/** Discovery in Kubernetes. */
export const kubernetes = z
  .strictObject({
    poolName: objectName()
      .optional()
      .describe(
        "Name of the InferencePool whose pods are the workers. Absent, and no `endpointSelector` = Kubernetes is not asked.",
      ),
    poolGroup: z
      .enum(["inference.networking.k8s.io", "inference.networking.x-k8s.io"])
      .default("inference.networking.k8s.io")
      .describe("API group of the pool: `v1` of the first, or `v1alpha2` of the second."),
    endpointSelector: selector()
      .optional()
      .describe("Labels of the pods that are the workers, `app=vllm,tier=large`, where there is no InferencePool."),
    targetPorts: z
      .array(podPort())
      .max(8)
      .default([])
      .describe(
        "With `endpointSelector`: the ports of a pod that requests are sent to, each one a worker, by number or by the name of a container's port.",
      ),
    namespace: objectName()
      .optional()
      .describe("Namespace of pool and pods. Absent = that of the service account, or of the kubeconfig's context."),
    kubeconfig: z.string().min(1).optional().describe("Kubeconfig file. Absent = the pod's service account."),
    context: z.string().min(1).optional().describe("Context of the kubeconfig. Absent = its current one."),
    workers: podDefaults,
    handovers: z
      .array(roleHandover)
      .default([])
      .describe("How pods take part in requests that the proxy splits: an entry for each role that does."),
    requestTimeoutMs: milliseconds(1)
      .default(30_000)
      .describe("Longest wait for a page of a list, and for the beginning of a watch, in ms."),
    watchTimeoutMs: milliseconds(1_000)
      .default(480_000)
      .describe("After how long a watch is begun anew, half to a whole of it, in ms."),
    watchIdleMs: milliseconds(1_000)
      .default(150_000)
      .describe(
        "Longest silence in a watch, in ms; then the connection counts as broken. Servers say each minute how far they are.",
      ),
    reconnectMinMs: milliseconds(1)
      .default(250)
      .describe("First pause after a call of the API failed, in ms; it doubles, and is cut at random by up to half."),
    reconnectMaxMs: milliseconds(1).default(30_000).describe("Longest pause, in ms."),
    missingRetryMs: milliseconds(1)
      .default(60_000)
      .describe("Pause before the server is asked again for a kind of objects that it does not know, in ms."),
    pageSize: count(1)
      .max(5_000)
      .default(50)
      .describe("Objects in a page of a list: each page is read in one go, some 10 KB a pod."),
    maxPods: count(1)
      .max(65_536)
      .default(4_096)
      .describe("Most pods that are looked at; further ones are passed over."),
    maxObjects: count(1)
      .max(65_536)
      .default(1_024)
      .describe("Most InferenceObjectives, and most InferenceModelRewrites, that count."),
    maxPageBytes: count(65_536)
      .max(1_073_741_824)
      .default(64 * 1_048_576)
      .describe("Longest page of a list, in bytes; a longer one is not read."),
    maxEventBytes: count(65_536)
      .max(1_073_741_824)
      .default(4 * 1_048_576)
      .describe("Longest event of a watch, in bytes; after a longer one a list is read."),
  })
  .prefault({})
  .describe("Workers that are pods, found through the Kubernetes API.");
