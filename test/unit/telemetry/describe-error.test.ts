import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import { describeError } from "../../../src/telemetry/describe-error.ts";

function syntaxErrorOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

describe("describeError", () => {
  it("does not repeat the input that a syntax error quotes", () => {
    const described = describeError(new Error("bad body", { cause: syntaxErrorOf('{"prompt": my secret plan') }));
    expect(described.cause?.type).toBe("SyntaxError");
    expect(JSON.stringify(described)).not.toMatch(/secret|plan/);
  });

  it("keeps the stack of faults and leaves out that of answers", () => {
    expect(describeError(new Error("a")).stack).toContain("describe-error.test.ts");
    expect(describeError(new RoutingError("a", { code: "internal" })).stack).toContain("describe-error.test.ts");
    expect(describeError(new RoutingError("a", { code: "saturated" }))).not.toHaveProperty("stack");
  });

  it("keeps no line of a message in the stack", () => {
    expect(describeError(new Error("one\ntwo\nthree")).stack).not.toContain("two");
  });

  it("ends a chain of causes that is long or circular", () => {
    const error = new Error("a");
    error.cause = error;
    expect(JSON.stringify(describeError(error)).match(/"type"/g)?.length).toBe(6);
  });

  it("describes what is no error by its type only", () => {
    expect(describeError("secret")).toEqual({ type: "string", message: "not an Error" });
  });
});
