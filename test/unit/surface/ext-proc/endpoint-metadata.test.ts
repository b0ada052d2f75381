import { describe, expect, it } from "vitest";
import { servedEndpoint, subsetHint } from "../../../../src/surface/ext-proc/endpoint-metadata.ts";
import type { StructValue } from "../../../../src/surface/ext-proc/processing-messages.ts";

const subsetOf = (value: StructValue) => ({
  filter_metadata: { "envoy.lb.subset_hint": { fields: { "x-gateway-destination-endpoint-subset": value } } },
});
const servedOf = (value: StructValue) => ({
  filter_metadata: { "envoy.lb": { fields: { "x-gateway-destination-endpoint-served": value } } },
});
const text = (stringValue: string): StructValue => ({ stringValue, kind: "stringValue" });
const list = (...strings: string[]): StructValue => ({ listValue: { values: strings.map(text) }, kind: "listValue" });

describe("subsetHint", () => {
  it.each([
    { name: "list", value: list("10.0.0.1:8000", "10.0.0.2"), subset: ["10.0.0.1:8000", "10.0.0.2"] },
    { name: "comma string", value: text("10.0.0.1:8000, [fd00::1]:8000"), subset: ["10.0.0.1:8000", "[fd00::1]:8000"] },
    { name: "empty string allows nothing", value: text(""), subset: [] },
    { name: "blank entries are dropped", value: text(" , ,"), subset: [] },
    { name: "empty list allows nothing", value: { listValue: {}, kind: "listValue" }, subset: [] },
    { name: "a list of numbers allows nothing", value: { listValue: { values: [{}] }, kind: "listValue" }, subset: [] },
    { name: "a number allows nothing", value: { kind: "numberValue" }, subset: [] },
    { name: "null is no hint", value: { kind: "nullValue" }, subset: undefined },
  ])("$name", ({ value, subset }) => {
    expect(subsetHint(subsetOf(value))).toEqual(subset);
  });

  it.each([undefined, {}, { filter_metadata: {} }, { filter_metadata: { "envoy.lb.subset_hint": {} } }])(
    "is undefined for %j",
    (metadata) => {
      expect(subsetHint(metadata)).toBeUndefined();
    },
  );
});

describe("servedEndpoint", () => {
  it.each([
    { name: "string", value: text("10.0.0.1:8000"), served: "10.0.0.1:8000" },
    { name: "last of a comma string", value: text("10.0.0.1:8000, 10.0.0.2:8000 , "), served: "10.0.0.2:8000" },
    { name: "last of a list", value: list("10.0.0.1:8000", "[fd00::2]:8000", " "), served: "[fd00::2]:8000" },
    { name: "blank", value: text(" "), served: undefined },
  ])("$name", ({ value, served }) => {
    expect(servedEndpoint(servedOf(value))).toBe(served);
  });
});
