import { describe, expect, it } from "vitest";
import { parseWorkerId, workerIdFromName } from "../../../src/fleet/index.ts";

describe("workerIdFromName", () => {
  it.each([
    // As Dynamo hashes pod names.
    { name: "worker-0", id: 1_186_445_869_714_687n },
    { name: "a-b", id: 8_671_438_890_602_160n },
    { name: "vllm-agg-0-decode-abc12", id: 3_513_547_182_453_011n },
  ])("$name", ({ name, id }) => {
    expect(workerIdFromName(name)).toBe(id);
  });
});

describe("parseWorkerId", () => {
  it.each(["0", "18446744073709551615", "1186445869714687"])("reads %s exactly", (text) => {
    expect(parseWorkerId(text)).toBe(BigInt(text));
  });

  it.each(["", "-1", "1.0", "0x10", "18446744073709551616", " 1", "1e3"])("refuses %j", (text) => {
    expect(parseWorkerId(text)).toBeUndefined();
  });
});
