import { describe, expect, it } from "vitest";
import { canonicalEndpoint, formatEndpoint, parseEndpoint } from "../../../src/fleet/index.ts";

describe("parseEndpoint", () => {
  it.each([
    { text: "10.0.0.1:8000", host: "10.0.0.1", port: 8000 },
    { text: "10.0.0.1", host: "10.0.0.1", port: undefined },
    { text: "[::1]:8000", host: "::1", port: 8000 },
    { text: "[::1]", host: "::1", port: undefined },
    { text: "::1", host: "::1", port: undefined },
    { text: "[2001:DB8:0:0::0001]:80", host: "2001:db8::1", port: 80 },
    { text: "2001:0db8:0000:0000:0000:0000:0000:0001", host: "2001:db8::1", port: undefined },
    { text: "[fe80::1%eth0]:80", host: "fe80::1%eth0", port: 80 },
    { text: "[::ffff:10.0.0.1]:80", host: "10.0.0.1", port: 80 },
    { text: "[::FFFF:0a00:1]:80", host: "10.0.0.1", port: 80 },
    { text: "0:0:0:0:0:ffff:127.0.0.1", host: "127.0.0.1", port: undefined },
    { text: "::ffff:0:10.0.0.1", host: "::ffff:0:a00:1", port: undefined },
    { text: "::10.0.0.1", host: "::a00:1", port: undefined },
    { text: "Worker-0.svc:8000", host: "Worker-0.svc", port: 8000 },
    { text: "worker_0", host: "worker_0", port: undefined },
    { text: "h:65535", host: "h", port: 65_535 },
  ])("$text", ({ text, host, port }) => {
    expect(parseEndpoint(text)).toEqual({ host, port });
  });

  it.each([
    "",
    ":80",
    "h:0",
    "h:65536",
    "h:",
    "h:8x",
    "a b:1",
    "[h]:80",
    "[::1",
    "::1]:80",
    "[::1]80",
    "http://h:80",
    "h:80/x",
  ])("refuses %j", (text) => {
    expect(parseEndpoint(text)).toBeUndefined();
  });
});

describe("formatEndpoint", () => {
  it.each(["10.0.0.1:8000", "[2001:db8::1]:80", "h:1", "10.0.0.1", "2001:db8::1", "[fe80::1%eth0]:80"])(
    "gives back %s",
    (text) => {
      const endpoint = parseEndpoint(text);
      expect(endpoint && formatEndpoint(endpoint)).toBe(text);
    },
  );
});

describe("canonicalEndpoint", () => {
  it("compresses zeros", () => {
    expect(canonicalEndpoint("[2001:db8:0:0:0:0:0:1]:80")).toBe("[2001:db8::1]:80");
  });

  it("demands a port", () => {
    expect(canonicalEndpoint("10.0.0.1")).toBeUndefined();
  });
});
