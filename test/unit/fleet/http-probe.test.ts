import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { HttpProbe } from "../../../src/fleet/index.ts";

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** A worker on a free loopback port. */
async function listen(answer: RequestListener, host = "127.0.0.1"): Promise<{ server: Server; endpoint: string }> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { server, endpoint: host.includes(":") ? `[${host}]:${port}` : `${host}:${port}` };
}

function probeOf(): HttpProbe {
  const probe = new HttpProbe();
  closers.push(() => probe.close());
  return probe;
}

const never = new AbortController().signal;

describe("HttpProbe", () => {
  it("asks the path over one kept-alive connection", async () => {
    const asked: string[] = [];
    const { server, endpoint } = await listen((request, response) => {
      asked.push(`${request.method} ${request.url} ${request.headers.host}`);
      response.end("ok");
    });
    let connections = 0;
    server.on("connection", () => connections++);
    const probe = probeOf();
    for (let i = 0; i < 3; i++) await probe.check(endpoint, "/health", never);
    expect(asked).toEqual(Array(3).fill(`GET /health ${endpoint}`));
    expect(connections).toBe(1);
  });

  it("speaks IPv6", async () => {
    const { endpoint } = await listen((_, response) => response.end(), "::1");
    await expect(probeOf().check(endpoint, "/health", never)).resolves.toBeUndefined();
  });

  it.each([
    { status: 204, isHealthy: true },
    { status: 301, isHealthy: false },
    { status: 404, isHealthy: false },
    { status: 503, isHealthy: false },
  ])("$status: $isHealthy", async ({ status, isHealthy }) => {
    const { endpoint } = await listen((_, response) => response.writeHead(status).end());
    const check = probeOf().check(endpoint, "/health", never);
    if (isHealthy) await expect(check).resolves.toBeUndefined();
    else await expect(check).rejects.toThrow(`/health answered ${status}`);
  });

  it("rejects when nobody listens", async () => {
    const { server, endpoint } = await listen((_, response) => response.end());
    await new Promise((resolve) => server.close(resolve));
    await expect(probeOf().check(endpoint, "/health", never)).rejects.toThrow("ECONNREFUSED");
  });

  it("ends with its signal when no answer comes, or none that ends", async () => {
    const end = new AbortController();
    const silent = await listen(() => end.abort());
    await expect(probeOf().check(silent.endpoint, "/health", end.signal)).rejects.toThrow("aborted");
    const endEndless = new AbortController();
    const endless = await listen((_, response) => {
      response.write("still ");
      setImmediate(() => endEndless.abort());
    });
    await expect(probeOf().check(endless.endpoint, "/health", endEndless.signal)).rejects.toThrow("aborted");
  });

  it("takes no closed kept-alive connection for a sick worker", async () => {
    let requests = 0;
    const { endpoint } = await listen((request, response) => {
      requests++;
      if (requests === 2) request.socket.destroy();
      else response.end();
    });
    const probe = probeOf();
    await probe.check(endpoint, "/health", never);
    await probe.check(endpoint, "/health", never);
    expect(requests).toBe(3);
  });
});
