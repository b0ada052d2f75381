import { describe, expect, it } from "vitest";
import { PodAddresses } from "../../soak/support/pod-addresses.ts";

describe("PodAddresses", () => {
  it("gives each in turn, and passes over those that are taken", () => {
    const addresses = new PodAddresses(7, 3);
    const taken = new Set(["127.0.7.1"]);
    expect(Array.from({ length: 4 }, () => addresses.next(taken))).toEqual([
      "127.0.7.2",
      "127.0.7.3",
      "127.0.7.2",
      "127.0.7.3",
    ]);
    expect(addresses.next(new Set())).toBe("127.0.7.1");
  });

  it("refuses where all are taken", () => {
    const addresses = new PodAddresses(7, 2);
    expect(() => addresses.next(new Set(addresses.all))).toThrow(new RangeError("there are addresses for 2 pods"));
  });
});
