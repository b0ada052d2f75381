import { z } from "zod";
import { settingsSchema } from "../../src/config/schema.ts";

type JsonSchema = Readonly<Record<string, unknown>>;

const text = { type: "string" };
const flag = { type: "boolean" };
const dnsLabel = { type: "string", maxLength: 63, pattern: "^([a-z0-9]([-a-z0-9]*[a-z0-9])?)?$" };
const quantity = { type: ["string", "integer"], pattern: "^[0-9.]+(m|[KMGTPE]i?)?$" };
const texts = { type: "object", additionalProperties: text };
const objects = { type: "array", items: { type: "object" } };
const cidr = { type: "string", pattern: "^[0-9a-fA-F.:]+/[0-9]{1,3}$" };

function count(minimum: number, maximum?: number): JsonSchema {
  return { type: "integer", minimum, ...(maximum === undefined ? {} : { maximum }) };
}

function closed(properties: JsonSchema, more: JsonSchema = {}): JsonSchema {
  return { type: "object", additionalProperties: false, properties, ...more };
}

const workload: JsonSchema = {
  image: closed({
    repository: { type: "string", minLength: 1 },
    tag: text,
    digest: { type: "string", pattern: "^(sha256:[0-9a-f]{64})?$" },
    pullPolicy: { enum: ["Always", "IfNotPresent", "Never"] },
  }),
  imagePullSecrets: { type: "array", items: closed({ name: text }, { required: ["name"] }) },
  replicas: count(0),
  serviceAccount: closed({ create: flag, name: text, annotations: texts }),
  secretMounts: {
    type: "array",
    items: closed(
      { secretName: { type: "string", minLength: 1 }, mountPath: { type: "string", pattern: "^/" } },
      { required: ["secretName", "mountPath"] },
    ),
  },
  modelCache: closed({ sizeLimit: quantity, persistentVolumeClaim: text }),
  env: objects,
  podAnnotations: texts,
  podLabels: texts,
  nodeSelector: texts,
  tolerations: objects,
  priorityClassName: text,
  resources: closed({
    requests: { type: "object", additionalProperties: quantity },
    limits: { type: "object", additionalProperties: quantity },
  }),
  terminationGracePeriodSeconds: count(1),
  podDisruptionBudget: closed({
    enabled: flag,
    maxUnavailable: { type: ["integer", "string"], minimum: 1, pattern: "^[1-9][0-9]?%$" },
  }),
  networkPolicy: closed({
    enabled: flag,
    metricsNamespace: dnsLabel,
    // No entry would mean everybody.
    clients: { ...objects, minItems: 1 },
    redis: objects,
    extraIngress: objects,
    extraEgress: objects,
  }),
  front: closed({
    allowAnybody: flag,
    service: closed({ type: { enum: ["ClusterIP", "NodePort", "LoadBalancer"] }, annotations: texts }),
  }),
  autoscaling: closed({
    enabled: flag,
    minReplicas: count(1),
    maxReplicas: count(1),
    cpuUtilization: count(1, 100),
    picksInFlight: count(1),
  }),
};

const routing: JsonSchema = {
  pool: closed({
    create: flag,
    name: dnsLabel,
    selector: texts,
    targetPorts: { type: "array", minItems: 1, maxItems: 8, uniqueItems: true, items: count(1, 65_535) },
    appProtocol: { enum: ["http", "kubernetes.io/h2c"] },
    failureMode: { enum: ["", "FailOpen", "FailClose"] },
  }),
  disaggregated: flag,
  gateway: closed({
    kind: { enum: ["none", "istio", "kgateway", "envoy-gateway", "gke", "agentgateway"] },
    create: flag,
    name: { ...dnsLabel, minLength: 1 },
    className: text,
    proxyCidrs: { type: "array", items: cidr },
  }),
  route: closed({
    create: flag,
    hostnames: { type: "array", items: { type: "string", minLength: 1 } },
    pathPrefix: { type: "string", pattern: "^/" },
  }),
};

const hasExtProc: JsonSchema = {
  anyOf: [
    { properties: { mode: { const: "ext-proc" } } },
    { required: ["mixedModes"], properties: { mixedModes: { contains: { const: "ext-proc" } } } },
  ],
};

/** A pool that is made has to select something; only the mode ext-proc makes one. */
const poolRule: JsonSchema = {
  if: { properties: { config: hasExtProc, pool: { properties: { create: { const: true } } } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { properties: { pool: { properties: { selector: { minProperties: 1, maxProperties: 64 } } } } },
};

/** Text of the schema of the chart's values, in the draft that every Helm 3 reads. `config` is the picker's own settings. */
export function valuesSchemaText(): string {
  return `${JSON.stringify(valuesSchema(), null, 2)}\n`;
}

function valuesSchema(): JsonSchema {
  const settings = z.toJSONSchema(settingsSchema, { io: "input", unrepresentable: "any", target: "draft-7" });
  const { $schema, ...config } = withoutProse(settings) as Record<string, unknown>;
  return {
    $schema,
    title: "Values of the chart pointsman",
    // `global` is Helm's.
    ...closed({ ...workload, ...routing, config, global: { type: "object" } }, poolRule),
  };
}

/**
 * Descriptions and defaults are in docs/configuration.md. Patterns that look ahead are left to the picker: Helm's regular expressions
 * cannot. Names of settings are kept, whatever they are.
 */
function withoutProse(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutProse);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).filter(
    ([name, value]) => !["description", "default"].includes(name) && !(name === "pattern" && /\(\?[!=<]/.test(value)),
  );
  return Object.fromEntries(
    members.map(([name, value]) => [
      name,
      name === "properties"
        ? Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, withoutProse(each)]))
        : withoutProse(value),
    ]),
  );
}
