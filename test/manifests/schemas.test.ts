import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { declaredSchema } from "../../scripts/kubernetes/declared-schema.ts";
import { structuralSchema } from "../../scripts/kubernetes/structural-schema.ts";
import { PublishedSchemas } from "./support/schemas.ts";
import { inRepository, type Manifest, manifestsOf } from "./support/tools.ts";

const schemas = new PublishedSchemas();

function faultsOf(text: string): readonly string[] {
  return manifestsOf(text).flatMap((manifest: Manifest) => schemas.faultsOf(manifest));
}

const deployment = (container: string) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: a }
spec:
  selector: { matchLabels: { a: b } }
  template: { metadata: { labels: { a: b } }, spec: { containers: [{ name: a, ${container} }] } }`;

describe("the recorded schemas", () => {
  it.each([
    ["a member that is not there", deployment("imagePolicy: Always"), "imagePolicy"],
    ["a number for a text", deployment("image: 3"), "/spec/template/spec/containers/0/image: must be string"],
    ["a member that is missing", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: a}, spec: {}}", "selector"],
    [
      "a probe of another form",
      deployment("livenessProbe: { grpc: { port: health } }"),
      "/livenessProbe/grpc/port: must be integer",
    ],
    [
      "a choice that is none",
      "{apiVersion: inference.networking.k8s.io/v1, kind: InferencePool, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, targetPorts: [{number: 1}], endpointPickerRef: {name: a, failureMode: Open}}}",
      "failureMode: must be equal to one of the allowed values",
    ],
    [
      "too many of something",
      `{apiVersion: inference.networking.k8s.io/v1, kind: InferencePool, metadata: {name: a}, spec: {selector: {matchLabels: {a: b}}, targetPorts: [${"{number: 1},".repeat(9)}]}}`,
      "must NOT have more than 8 items",
    ],
    ["a kind that nobody recorded", "{apiVersion: v1, kind: Pot, metadata: {name: a}}", "v1 Pot: no schema"],
  ])("refuse %s", (_name, text, message) => {
    expect(faultsOf(text).join("\n")).toContain(message);
  });

  it("take a number or a text where either may stand", () => {
    const budget = (value: string) =>
      `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: a}, spec: {maxUnavailable: ${value}}}`;
    expect([...faultsOf(budget("1")), ...faultsOf(budget("10%"))]).toEqual([]);
    expect(faultsOf(budget("[1]"))).not.toEqual([]);
  });
});

describe("a structure", () => {
  it("is closed where members are named, and open where a source says so or alternatives narrow it", () => {
    const named = { type: "object", properties: { a: { type: "string", description: "left out" } } };
    expect(structuralSchema({ ...named, oneOf: [{ properties: { a: {} }, required: ["a"] }] })).toEqual({
      type: "object",
      properties: { a: { type: "string" } },
      additionalProperties: false,
      oneOf: [{ properties: { a: {} }, required: ["a"] }],
    });
    expect(structuralSchema({ ...named, "x-kubernetes-preserve-unknown-fields": true })).not.toHaveProperty(
      "additionalProperties",
    );
  });

  it("keeps references, also those in a wrapper", () => {
    const reference = { $ref: "#/components/schemas/a.B" };
    expect(structuralSchema({ allOf: [reference], default: {}, description: "b" })).toEqual({ $ref: "#/$defs/a.B" });
  });

  it("is read of a declaration", () => {
    const text = `
      export interface IThing { /** "c" */ "a": "x" | "y"; "b"?: Array<{ "n"?: number; }>; "metadata"?: IObjectMeta; }`;
    expect(declaredSchema(text, "IThing")).toEqual({
      type: "object",
      additionalProperties: false,
      required: ["a"],
      properties: {
        a: { enum: ["x", "y"] },
        b: {
          type: "array",
          items: { type: "object", additionalProperties: false, properties: { n: { type: "number" } } },
        },
        metadata: { type: "object" },
      },
    });
  });
});

describe("the examples", () => {
  it.each(readdirSync(inRepository("k8s/examples")).filter((file) => !file.startsWith("values-")))(
    "%s is what the published schemas allow",
    (file) => {
      expect(faultsOf(readFileSync(inRepository(`k8s/examples/${file}`), "utf8"))).toEqual([]);
    },
  );

  it("have the labels and ports of the pool and of the picker's settings", () => {
    const pool = manifestsOf(readFileSync(inRepository("k8s/base/inference-pool.yaml"), "utf8"))[0];
    const settings = readFileSync(inRepository("k8s/base/picker.yaml"), "utf8");
    for (const name of ["aggregated", "disaggregated"]) {
      const text = readFileSync(inRepository(`k8s/examples/workers-${name}.yaml`), "utf8");
      for (const { spec } of manifestsOf(text)) {
        expect(spec.template.metadata.labels).toMatchObject(pool?.["spec"].selector.matchLabels);
        const { containers, initContainers = [] } = spec.template.spec;
        const ports = [...containers, ...initContainers].flatMap((each) => each.ports);
        expect(ports.find(({ name }) => name === "http").containerPort).toBe(pool?.["spec"].targetPorts[0].number);
        const port = (of: string) => ports.find(({ name }) => name === of).containerPort;
        expect(settings).toContain(`{ kvEvents: "${port("kv-events")}", kvReplay: "${port("kv-replay")}" }`);
      }
    }
  });
});
