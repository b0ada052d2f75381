import { describe, expect, it } from "vitest";
import { compareWithFrontend } from "./snippets/compare-frontend.ts";
import { compareWithTransformers } from "./snippets/compare-transformers.ts";

/** Another with each run would let a build fail by chance: `npm run parity:snippets` searches on. */
const seed = Number(process.env["POINTSMAN_TEST_SEED"] ?? 20_261_129);

describe(`composed templates of seed ${seed}`, () => {
  it("print what the Dynamo frontend prints, and are refused where it refuses", async () => {
    const { differences, unknown, compared } = await compareWithFrontend(seed, 1_200);
    expect(differences).toEqual([]);
    expect(unknown / compared).toBeLessThan(0.03);
  });

  it("print what transformers prints in Hugging Face's dialect, and are refused where it raises", async () => {
    const { differences, unknown, compared } = await compareWithTransformers(seed, 5_000);
    expect(compared).toBe(5_000);
    expect(differences).toEqual([]);
    expect(unknown / compared).toBeLessThan(0.01);
  });
});
