import { describe, expect, it } from "vitest";
import { consoleSetting } from "../../../src/commands/console-flag.ts";
import { loadConfig } from "../../../src/config/index.ts";

function listenOf(given: string | true): string {
  return loadConfig({ env: {}, text: "{}", flags: { aliases: [consoleSetting(given)] } }).admin.listen;
}

describe("--console", () => {
  it.each([
    [true, "127.0.0.1:9099"],
    ["9100", "127.0.0.1:9100"],
    ["0", "127.0.0.1:0"],
    ["[::1]:9100", "[::1]:9100"],
  ] as const)("%s listens on %s", (given, listen) => {
    expect(listenOf(given)).toBe(listen);
  });

  it.each(["99999", "here", ":9100"])("%s is refused by its own name", (given) => {
    expect(() => listenOf(given)).toThrow(/--console/);
    expect(() => listenOf(given)).not.toThrow(/--set/);
  });
});
