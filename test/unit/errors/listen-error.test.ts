import { describe, expect, it } from "vitest";
import { ListenError } from "../../../src/errors/index.ts";

describe("an address that cannot be listened on", () => {
  it.each([
    { said: "listen EADDRINUSE: address already in use 127.0.0.1:1", why: "address already in use (EADDRINUSE)" },
    { said: "listen EACCES: permission denied 0.0.0.0:80", why: "permission denied (EACCES)" },
    {
      said: "No address added out of total 1 resolved errors: [listen EADDRNOTAVAIL: address not available 9.9.9.9:1]",
      why: "this machine has no such address (EADDRNOTAVAIL)",
    },
    { said: "getaddrinfo ENOTFOUND nowhere", why: "no such host (ENOTFOUND)" },
    { said: "/tmp/x is there and is no socket", why: "/tmp/x is there and is no socket" },
    { said: "EXTRA trouble", why: "EXTRA trouble" },
  ])("is told with its setting, its value and why: $why", ({ said, why }) => {
    const cause = new Error(said);
    const error = new ListenError({ setting: "routeApi.listen", address: "127.0.0.1:8092" }, { cause });
    expect(error.message).toBe(`routeApi.listen: cannot listen on 127.0.0.1:8092: ${why}`);
    expect(error.cause).toBe(cause);
  });
});
