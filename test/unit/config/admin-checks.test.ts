import { describe, expect, it } from "vitest";
import { messageOf } from "./fixtures.ts";

const hash = "0".repeat(64);

describe("the checks of the console's settings", () => {
  it.each([
    { name: "is off", text: "{}", message: "accepted" },
    { name: "needs no token on the loopback address", text: "admin: {listen: '127.0.0.1:9099'}", message: "accepted" },
    { name: "nor on that of IPv6", text: "admin: {listen: '[::1]:9099'}", message: "accepted" },
    { name: "nor by its name", text: "admin: {listen: 'localhost:0'}", message: "accepted" },
    ...["0.0.0.0:9099", "[::]:9099", "10.0.0.1:9099", "console.example:9099"].map((listen) => ({
      name: `needs a token at ${listen}`,
      text: `admin: {listen: '${listen}'}`,
      message: `admin.tokenFile: it or admin.tokenHashes is needed: admin.listen (${listen}) is not a loopback address`,
    })),
    { name: "a file will do", text: "admin: {listen: '0.0.0.0:9099', tokenFile: /file}", message: "accepted" },
    { name: "hashes will do", text: `admin: {listen: '0.0.0.0:9099', tokenHashes: '${hash}'}`, message: "accepted" },
    {
      name: "hashes are hashes",
      text: "admin: {tokenHashes: secret}",
      message: 'admin.tokenHashes: expected SHA-256 hashes in hexadecimal, with commas between; got "secret"',
    },
    {
      name: "keeps no more points than it has room for",
      text: "admin: {historyMinutes: 1440}",
      message: "admin.historyIntervalMs: expected at least 12000 with admin.historyMinutes (1440); got 5000",
    },
    { name: "as many as there is room for", text: "admin: {historyMinutes: 600}", message: "accepted" },
    {
      name: "readers leave room for others",
      text: "admin: {maxReaders: 8, maxConnections: 8}",
      message: "admin.maxReaders: expected less than admin.maxConnections (8); got 8",
    },
    {
      name: "hosts have no port",
      text: "admin: {allowedHosts: ['console.example:80']}",
      message:
        'admin.allowedHosts[0]: expected a host name or an address in lower case, without a port; got "console.example:80"',
    },
    {
      name: "hosts by name and address",
      text: "admin: {allowedHosts: [a.example, 10.0.0.1, '[::2]']}",
      message: "accepted",
    },
    {
      name: "has an address of its own",
      text: "admin: {listen: '127.0.0.1:9090'}",
      message: 'admin.listen: another listener has this address: metrics.listen (0.0.0.0:9090); got "127.0.0.1:9090"',
    },
    {
      name: "is no worker",
      text: "admin: {listen: '127.0.0.1:9099'}\nworkers: [{name: w, endpoint: '127.0.0.1:9099'}]",
      message:
        'workers[0].endpoint: expected a worker\'s address: here this process itself listens, admin.listen; got "127.0.0.1:9099"',
    },
    {
      name: "is none of the shards",
      text: "shards: {count: 2, listen: own}\nmode: proxy\nproxy: {listen: '127.0.0.1:8000'}\nadmin: {listen: '127.0.0.1:8100'}",
      message: 'proxy.listen: shard 1 would have port 8100, which is taken: see shards.portStep; got "127.0.0.1:8000"',
    },
  ])("$name", ({ text, message }) => {
    expect(messageOf(text)).toBe(message);
  });
});
