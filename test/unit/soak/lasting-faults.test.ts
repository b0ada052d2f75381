import { describe, expect, it } from "vitest";
import { lastingFaults } from "../../soak/support/lasting-faults.ts";

const options = { what: "the end", timeoutMs: 0, intervalMs: 0 };

describe("lastingFaults", () => {
  it("is nothing once nothing is found", async () => {
    const looks = [["a"], []];
    expect(await lastingFaults(async () => looks.shift() ?? [], { ...options, timeoutMs: 5_000 })).toEqual([]);
  });

  it("is what was found last", async () => {
    expect(await lastingFaults(async () => ["a", "b"], options)).toEqual(["a", "b"]);
  });

  it("is not nothing where it could not look", async () => {
    const look = () => Promise.reject(new Error("no answer"));
    expect(await lastingFaults(look, options)).toEqual(["waited 0 ms for the end: Error: no answer"]);
  });
});
