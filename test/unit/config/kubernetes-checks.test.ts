import { describe, expect, it } from "vitest";
import { messageOf } from "./fixtures.ts";

const inKubernetes = (settings: string) => `kubernetes: { ${settings} }`;

describe("the settings of discovery in Kubernetes", () => {
  it.each([
    { settings: "poolName: pool, namespace: serving" },
    { settings: 'endpointSelector: "app=vllm,tier=", targetPorts: ["8000", http]' },
    { settings: "poolName: my.pool, kubeconfig: file, context: dev" },
  ])("are fine: $settings", ({ settings }) => {
    expect(messageOf(inKubernetes(settings))).toBe("accepted");
  });

  it.each([
    { settings: "namespace: x", key: "namespace", message: "has no meaning without poolName or endpointSelector" },
    { settings: "kubeconfig: x", key: "kubeconfig", message: "has no meaning without poolName or endpointSelector" },
    {
      settings: "poolName: p, endpointSelector: a=b",
      key: "endpointSelector",
      message: "has no meaning beside poolName",
    },
    { settings: "endpointSelector: a=b", key: "targetPorts", message: "needed with endpointSelector" },
    {
      settings: "poolName: p, targetPorts: [http]",
      key: "targetPorts",
      message: "has no meaning without endpointSelector",
    },
    {
      settings: 'endpointSelector: a=b, targetPorts: ["1", "1"]',
      key: "targetPorts",
      message: "a port is there twice",
    },
    { settings: "poolName: p, context: x", key: "context", message: "has no meaning without kubeconfig" },
    {
      settings: "poolName: p, reconnectMaxMs: 1",
      key: "reconnectMaxMs",
      message: "expected at least kubernetes.reconnectMinMs",
    },
    { settings: "poolName: P_1", key: "poolName", message: "expected a name of the Kubernetes API" },
    {
      settings: 'endpointSelector: "a in (b)", targetPorts: [http]',
      key: "endpointSelector",
      message: "expected labels as",
    },
    {
      settings: "endpointSelector: a=b, targetPorts: [http_1]",
      key: "targetPorts[0]",
      message: "expected a port number or",
    },
    {
      settings: 'endpointSelector: a=b, targetPorts: ["70000"]',
      key: "targetPorts[0]",
      message: "expected a port from 1 to 65535",
    },
    {
      settings: "poolName: p, handovers: [{ role: decode, protocol: nixl }, { role: decode, protocol: nixl }]",
      key: "handovers[1].role",
      message: "another entry has this role",
    },
  ])("are refused: $settings", ({ settings, key, message }) => {
    expect(messageOf(inKubernetes(settings))).toContain(`kubernetes.${key}: ${message}`);
  });

  it("refuse KV events for models of several block sizes, since pods that do not say serve all", () => {
    const models = "models: [{ name: a, loadOnly: true }, { name: b, loadOnly: true, blockSize: 32 }]";
    const kubernetes = inKubernetes('poolName: p, workers: { ports: { kvEvents: "5557" } }');
    expect(messageOf(`${models}\n${kubernetes}`)).toContain("expected models of one blockSize");
  });

  it("need models for the route API", () => {
    expect(messageOf(`mode: query\n${inKubernetes("poolName: p")}`)).toContain("models: needed with workers");
  });
});

describe("modelRewrites", () => {
  it("have a weight for all targets of a rule, or for none", () => {
    const rules = "modelRewrites: [{ targets: [{ model: a, weight: 1 }, { model: b }] }]";
    expect(messageOf(rules)).toContain("modelRewrites[0].targets[1].weight: all targets have a weight, or none has");
  });

  it.each(["targets: []", "targets: [{ model: a, weight: 0 }]", "targets: [{ model: a, weight: 1000001 }]"])(
    "are refused with %s",
    (rule) => {
      expect(messageOf(`modelRewrites: [{ ${rule} }]`)).toMatch(/^modelRewrites\[0\]/);
    },
  );
});

it("workers[].adapters are adapters of a model", () => {
  const text =
    'models: [{ name: m, loadOnly: true, adapters: [a] }]\nworkers: [{ name: w, endpoint: "10.0.0.1:1", adapters: [a, b] }]';
  expect(messageOf(text)).toContain("workers[0].adapters[1]: expected an adapter of a model");
});
