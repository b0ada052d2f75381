import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import { pino } from "pino";
import { expect, it } from "vitest";
import { serve } from "../../../../src/commands/serve.ts";
import { serveShards } from "../../../../src/commands/shards/serve-shards.ts";
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

/** Where nobody listens. */
async function freeAddress(): Promise<string> {
  const spare = createServer().listen(0, "127.0.0.1");
  await once(spare, "listening");
  const { port } = spare.address() as AddressInfo;
  spare.close();
  await once(spare, "close");
  return `127.0.0.1:${port}`;
}

it.each(["proxy", "queue"])("shards do not start beside others that share the port of %s.listen", async (mode) => {
  const other = createServer().listen({ host: "127.0.0.1", port: 0, reusePort: true });
  await once(other, "listening");
  const taken = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  const free = mode === "proxy" ? "queue" : "proxy";
  const set = [`${mode}.listen=${taken}`, `${free}.listen=${await freeAddress()}`];
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

it("a shard listens on every shared port by the time that it is ready", async () => {
  const [proxy, queue, extProc] = [await freeAddress(), await freeAddress(), await freeAddress()];
  const set = [`proxy.listen=${proxy}`, `queue.listen=${queue}`, `extProc.listen=${extProc}`];
  const ready = Promise.withResolvers<void>();
  const write = (line: string) => {
    if (JSON.parse(line).msg === "the picker is ready") ready.resolve();
  };
  const stop = new AbortController();
  const config = loadConfig({ text: text.replace("[queue]", "[queue, ext-proc]"), env: {}, flags: { set } });
  const served = serve(config, pino({}, { write }), stop.signal);
  await Promise.race([ready.promise, served]);
  for (const address of [proxy, queue, extProc]) {
    const [host, port] = address.split(":");
    const socket = connect(Number(port), host);
    await once(socket, "connect");
    socket.destroy();
  }
  stop.abort();
  await served;
});
