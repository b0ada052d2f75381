import { describe, it } from "vitest";
import { checkTarget } from "./framework/check-target.ts";
import { fuzzTargets } from "./targets/index.ts";

describe("fuzz", () => {
  it.each(fuzzTargets.filter(({ needsOracle = false }) => !needsOracle))("$name: $claim", checkTarget);
});
