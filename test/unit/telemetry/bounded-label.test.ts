import { describe, expect, it } from "vitest";
import { BoundedLabel } from "../../../src/telemetry/bounded-label.ts";

describe("BoundedLabel", () => {
  it("passes known values only", () => {
    const label = new BoundedLabel(["a", "b"]);
    expect(["a", "b", "c", undefined].map((value) => label.of(value))).toEqual(["a", "b", "other", "none"]);
  });

  it("learns values up to its bound and keeps those", () => {
    const label = new BoundedLabel(["a"], 3);
    expect(["x", "y", "z", "x", "a"].map((value) => label.of(value))).toEqual(["x", "y", "other", "x", "a"]);
  });
});
