import { describe, expect, it } from "vitest";
import {
  describeAddressFault,
  describeKvAddressFault,
  parseAddress,
  shiftKvAddress,
} from "../../../src/config/address.ts";

describe("parseAddress", () => {
  it.each([
    ["0.0.0.0:9002", { host: "0.0.0.0", port: 9002 }],
    ["[::]:9002", { host: "::", port: 9002 }],
    ["[fe80::1%eth0]:80", { host: "fe80::1%eth0", port: 80 }],
    ["worker-0.pool.svc:8000", { host: "worker-0.pool.svc", port: 8000 }],
    ["localhost:0", { host: "localhost", port: 0 }],
  ])("%s", (text, address) => {
    expect(parseAddress(text)).toEqual(address);
  });

  it("refuses what is no address, naming it", () => {
    expect(() => parseAddress("nowhere")).toThrow('"nowhere": expected host:port or [ipv6]:port');
  });
});

describe("describeAddressFault", () => {
  it.each([
    ["::1", "expected [ipv6]:port, with the brackets"],
    ["::1:9002", "expected [ipv6]:port, with the brackets"],
    ["[::1", "expected [ipv6]:port, with the brackets"],
    ["[10.0.0.1]:80", "expected an IPv6 address in the brackets"],
    ["10.0.0.1", "expected host:port or [ipv6]:port"],
    ["10.0.0.300:80", "expected an IP address or a host name before the port"],
    [":9002", "expected an IP address or a host name before the port"],
    ["a b:80", "expected an IP address or a host name before the port"],
    ["http://a:80", "expected [ipv6]:port, with the brackets"],
    ["10.0.0.1:65536", "expected a port from 1 to 65535"],
    ["10.0.0.1:0", "expected a port from 1 to 65535"],
    ["", "expected host:port or [ipv6]:port"],
  ])("%j: %s", (text, fault) => {
    expect(describeAddressFault(text, 1)).toBe(fault);
  });
});

describe("KV addresses", () => {
  it.each([
    ["tcp://10.0.0.1:5557", undefined],
    ["tcp://[::1]:5557", undefined],
    ["10.0.0.1:5557", "expected tcp://host:port"],
    ["tcp://*:5557", "expected an IP address or a host name before the port, after tcp://"],
  ])("%s", (text, fault) => {
    expect(describeKvAddressFault(text)).toBe(fault);
  });

  it("count ranks by port", () => {
    expect(shiftKvAddress("tcp://[::1]:5557", 3)).toBe("tcp://[::1]:5560");
  });
});
