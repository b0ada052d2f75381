import { describe, expect, it } from "vitest";
import { ConfigError, parseApiKeys } from "../../../src/config/index.ts";

const sha256 = "a".repeat(64);

describe("a key file", () => {
  it("is a list of keys by their hashes", () => {
    expect(
      parseApiKeys(
        `- { name: a, sha256: ${sha256} }\n- { name: b, sha256: ${sha256}, maxConcurrent: 3 }`,
        "keys",
        "proxy",
      ),
    ).toEqual([
      { name: "a", sha256, requestsPerMinute: 0, maxConcurrent: 0 },
      { name: "b", sha256, requestsPerMinute: 0, maxConcurrent: 3 },
    ]);
    expect(parseApiKeys("# none yet\n", "keys", "proxy")).toEqual([]);
  });

  it.each([
    ["- sk-a-key-in-plain-text", "keys: [0]"],
    ["- { name: a, sha256: sk-a-key-in-plain-text }", "keys: [0.sha256]: expected the SHA-256"],
    ["- { name: a, sha256: ABC }", "keys: [0.sha256]: expected the SHA-256"],
    ["- { name: a, sha256: x, rate: 3 }", "keys: [0"],
    ["{a", "keys: this is no YAML"],
    ["- *sk-a-key-in-plain-text", "keys: this is no YAML"],
  ])("%j is refused, without its values", (text, message) => {
    const refusal = (() => {
      try {
        return parseApiKeys(text, "keys", "proxy");
      } catch (error) {
        return error;
      }
    })();
    expect(refusal).toBeInstanceOf(ConfigError);
    expect(String(refusal)).toContain(message);
    expect(String(refusal)).not.toContain("sk-a-key");
  });
});
