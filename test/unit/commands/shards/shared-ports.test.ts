import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { pino } from "pino";
import { expect, it } from "vitest";
import { serveShards } from "../../../../src/commands/index.ts";
import { loadConfig } from "../../../../src/config/index.ts";

const text = `
mode: proxy
mixedModes: [queue]
models: [{ name: m, loadOnly: true }]
workers: [{ name: a, endpoint: "127.0.0.1:1" }]
queue: { redis: { url: "redis://127.0.0.1:1" } }
metrics: { listen: "off" }
health: { listen: "off" }
shards: { count: 2 }
`;

it.each(["proxy", "queue"])("shards do not start beside others that share the port of %s.listen", async (mode) => {
  const other = createServer().listen({ host: "127.0.0.1", port: 0, reusePort: true });
  await once(other, "listening");
  const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  const free = mode === "proxy" ? "queue" : "proxy";
  const spare = createServer().listen(0, "127.0.0.1");
  await once(spare, "listening");
  const { port } = spare.address() as AddressInfo;
  spare.close();
  await once(spare, "close");
  const set = [`${mode}.listen=${taken}`, `${free}.listen=127.0.0.1:${port}`];
  const config = loadConfig({ text, env: {}, flags: { set } });
  const spawn = () => {
    throw new Error("a shard was started");
  };
  try {
    await expect(serveShards(config, pino({ level: "silent" }), new AbortController().signal, spawn)).rejects.toThrow(
      `${mode}.listen: cannot listen on ${taken}: address already in use (EADDRINUSE)`,
    );
  } finally {
    other.close();
  }
});
