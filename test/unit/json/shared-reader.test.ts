import { describe, expect, it } from "vitest";
import { parseJson, sharedReader } from "../../../src/json/parse.ts";

describe("sharedReader", () => {
  it("keeps no more than 4 MiB, whatever is parsed", () => {
    for (let text = 0; text < 3_000; text++) {
      parseJson(Buffer.from(`"${String(text).padStart(4_000, "text ")}"`));
      expect(sharedReader.heldBytes).toBeLessThanOrEqual(4 * 1_048_576);
    }
    expect(sharedReader.heldBytes).toBeGreaterThan(1_048_576);
  });
});
