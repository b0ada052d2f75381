import { expect, it } from "vitest";
import { Hosts } from "../../../../src/surface/admin/index.ts";

const hosts = new Hosts(["10.0.0.5", "console.example.com", "[fd00::1]"]);

it.each([
  "localhost",
  "LOCALHOST:9099",
  "localhost.:9099",
  "127.0.0.1:9099",
  "127.8.9.1",
  "[::1]:80",
  "10.0.0.5:9099",
  "console.example.com",
  "Console.Example.Com:443",
  "[FD00::1]:9099",
])("answers to %s", (host) => {
  expect(hosts.allows(host)).toBe(true);
});

it.each([
  undefined,
  "",
  "evil.example",
  "evil.example:9099",
  "localhost.evil.example",
  "127.0.0.1.evil.example",
  "127.evil.example",
  "evil.example@localhost",
  "localhost@evil.example",
  "localhost:9099:1",
  "localhost/",
  "10.0.0.6",
  "sub.console.example.com",
  "[::2]:9099",
  "::1",
  "[::1",
  "127.0.0.1 ",
  "0.0.0.0",
])("does not answer to %s", (host) => {
  expect(hosts.allows(host)).toBe(false);
});
