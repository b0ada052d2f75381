import { describe, it } from "vitest";
import { checkTarget } from "../fuzz/framework/check-target.ts";
import { fuzzTargets } from "../fuzz/targets/index.ts";

describe("fuzz with transformers", () => {
  it.each(fuzzTargets.filter(({ needsOracle = false }) => needsOracle))("$name: $claim", checkTarget);
});
