import { describe, expect, it } from "vitest";
import { isInBackground, isServer, statementsOf } from "../../e2e/docs/support/statements.ts";

describe("cutting a block into commands", () => {
  it("keeps together what a shell reads as one", () => {
    const block = "# a comment\na 'b\nc' # d\n\ncat <<'EOF'\n$x \"\nEOF\nf \\\n  g &\nif h\nthen i\nfi\n";
    expect(statementsOf(block)).toEqual([
      "a 'b\nc' # d\n",
      "cat <<'EOF'\n$x \"\nEOF\n",
      "f \\\n  g &\n",
      "if h\nthen i\nfi\n",
    ]);
  });

  it("refuses a command without an end", () => {
    expect(() => statementsOf("a 'b\n")).toThrow("no shell reads this");
  });
});

describe("servers", () => {
  it.each([
    "pointsman serve --config x",
    "npx pointsman sim-worker &",
    "node dist/main.js serve",
    ".venv/servers/envoy -c x.yaml &",
    "redis-server --port 1",
  ])("%s runs until it is stopped", (statement) => {
    expect(isServer(statement)).toBe(true);
  });

  it.each([
    "pointsman check-config",
    "grep pointsman serve",
    "pointsman serve --help",
    "envoy --mode validate -c x",
    "kubectl get envoy -x",
  ])("%s does not", (statement) => {
    expect(isServer(statement)).toBe(false);
  });

  it("are in the background by themselves with a single & at the end", () => {
    expect(["a &\n", "a & # b\n", "a &&\n", "a\n", "a '&'\n"].map(isInBackground)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });
});
