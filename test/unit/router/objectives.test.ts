import { describe, expect, it } from "vitest";
import { Objectives } from "../../../src/router/index.ts";

describe("Objectives", () => {
  it("knows the settings' priorities, and discovered ones of other names", () => {
    const objectives = new Objectives(new Map([["own", 5]]));
    objectives.discovered(
      new Map([
        ["own", 1],
        ["found", -1],
      ]),
    );
    expect([objectives.get("own"), objectives.get("found"), objectives.get("none")]).toEqual([5, -1, undefined]);
  });

  it("forgets what is there no more", () => {
    const objectives = new Objectives(new Map());
    objectives.discovered(new Map([["found", 3]]));
    objectives.discovered(new Map());
    expect(objectives.get("found")).toBeUndefined();
  });
});
