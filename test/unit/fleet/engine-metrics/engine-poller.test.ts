import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { EnginePoller } from "../../../../src/fleet/engine-metrics/engine-poller.ts";
import { Catalogue, staticWorkers } from "../../../../src/fleet/index.ts";
import { FakeTimers } from "../../load/admission/fake-timers.ts";

const closing: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function engine(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  closing.push(
    () => new Promise((resolve) => server.close(resolve)),
    () => server.closeAllConnections(),
  );
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function poll(
  entry: { endpoint: string; metricsEndpoint?: string; dpRankStart?: number; dpSize?: number },
  maxPageBytes = 4_096,
) {
  const catalogue = new Catalogue();
  catalogue.replaceAll(staticWorkers([{ name: "w", ...entry }]));
  const timers = new FakeTimers();
  const seen: string[] = [];
  const poller = new EnginePoller(
    catalogue,
    { path: "/metrics", intervalMs: 100, timeoutMs: 2_000, maxPageBytes },
    {
      observed: ({ dpRank }, { runningRequests }) => seen.push(`${dpRank}: ${runningRequests}`),
      missed: (_worker, cause) => seen.push(`missed: ${cause instanceof Error ? cause.message : String(cause)}`),
    },
    { timers, random: () => 0.5 },
  );
  closing.push(() => poller.close());
  const next = async (count: number) => {
    timers.advance(100);
    await expect.poll(() => seen.length).toBe(count);
  };
  return { catalogue, timers, seen, next, poller };
}

describe("asking engines for their figures", () => {
  it("goes on in the interval, and over a failure", async () => {
    let page = 0;
    const endpoint = await engine((_request, response) => {
      page++;
      response.statusCode = page === 2 ? 503 : 200;
      response.end(`vllm:num_requests_running ${page}\n`);
    });
    const { seen, next } = poll({ endpoint });
    await next(1);
    await next(2);
    await next(3);
    expect(seen).toEqual(["0: 1", "missed: /metrics answered 503", "0: 3"]);
  });

  it("asks where the worker's page is", async () => {
    const paths: (string | undefined)[] = [];
    const metricsEndpoint = await engine((request, response) => {
      paths.push(request.url);
      response.end("sglang:num_running_reqs 4\n");
    });
    const { seen, next } = poll({ endpoint: "127.0.0.1:1", metricsEndpoint });
    await next(1);
    expect([seen, paths]).toEqual([["0: 4"], ["/metrics"]]);
  });

  it("gives each rank its own figures, counted from the worker's first or from 0", async () => {
    const endpoint = await engine((_request, response) => {
      response.end('vllm:num_requests_running{engine="0"} 1\nvllm:num_requests_running{engine="1"} 2\n');
    });
    const { seen, next } = poll({ endpoint, dpRankStart: 4, dpSize: 2 });
    await next(2);
    expect(seen).toEqual(["4: 1", "5: 2"]);
  });

  it("reads no page beyond its bound", async () => {
    const endpoint = await engine((_request, response) => response.end("x".repeat(5_000)));
    const { seen, next } = poll({ endpoint });
    await next(1);
    expect(seen).toEqual(["missed: the page is longer than 4096 bytes"]);
  });

  it("leaves a worker that is gone, and ends", async () => {
    const endpoint = await engine((_request, response) => response.end("vllm:num_requests_running 1\n"));
    const { catalogue, timers, next, seen, poller } = poll({ endpoint });
    await next(1);
    for (const { id } of [...catalogue.workers()]) catalogue.remove(id);
    expect(timers.pending).toBe(0);
    await poller.close();
    expect(seen).toHaveLength(1);
  });
});
