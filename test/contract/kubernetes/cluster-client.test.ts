import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generate } from "selfsigned";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ClusterClient } from "../../../src/fleet/index.ts";

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
  vi.unstubAllEnvs();
});

type Serve = (request: IncomingMessage, response: ServerResponse) => void;

const limits = { requestTimeoutMs: 2_000, watchIdleMs: 300, maxPageBytes: 65_536, maxEventBytes: 1_024 };

const elliptic = { keyType: "ec", algorithm: "sha256" } as const;

/** A pod's view of a cluster: an API server with a certificate, and the files and variables of a service account. */
async function inPod(serve: Serve, changes: Partial<typeof limits> = {}) {
  const names = [{ type: 7 as const, ip: "127.0.0.1" }];
  const { private: key, cert } = await generate([{ name: "commonName", value: "api" }], {
    ...elliptic,
    extensions: [{ name: "subjectAltName", altNames: names }],
  });
  const server = createServer({ key, cert }, serve);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const root = await mkdtemp(join(tmpdir(), "pod-"));
  closers.push(() => rm(root, { recursive: true }));
  const account = join(root, "var/run/secrets/kubernetes.io/serviceaccount");
  await mkdir(account, { recursive: true });
  await writeFile(join(account, "ca.crt"), cert);
  await writeFile(join(account, "namespace"), "serving\n");
  await writeFile(join(account, "token"), "first");
  vi.stubEnv("KUBERNETES_SERVICE_HOST", "127.0.0.1");
  vi.stubEnv("KUBERNETES_SERVICE_PORT", String((server.address() as AddressInfo).port));
  const client = await ClusterClient.open({ kubeconfig: undefined, context: undefined, root, ...limits, ...changes });
  closers.push(() => client.close());
  return { client, account };
}

const never = new AbortController().signal;
const answer = (response: ServerResponse, status: number, body: object) => {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
};

async function all(events: AsyncIterable<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

describe("a client of the cluster that it runs in", () => {
  it("shows the service account's token to a server that its authority vouches for, and knows its namespace", async () => {
    const seen: (string | undefined)[] = [];
    const { client } = await inPod(({ url, headers }, response) => {
      seen.push(url, headers.authorization);
      answer(response, 200, { items: [] });
    });
    expect(client.namespace).toBe("serving");
    const query = { labelSelector: "a=b,c=d", limit: "5" };
    expect(await client.get("/api/v1/pods", query, never)).toEqual({ items: [] });
    expect(seen).toEqual(["/api/v1/pods?labelSelector=a%3Db%2Cc%3Dd&limit=5", "Bearer first"]);
  });

  it("reads the token anew when it is refused", async () => {
    const { client, account } = await inPod(({ headers }, response) => {
      const isValid = headers.authorization === "Bearer second";
      answer(response, isValid ? 200 : 401, { message: "Unauthorized" });
    });
    await expect(client.get("/x", {}, never)).rejects.toMatchObject({ status: 401, message: "/x: 401 Unauthorized" });
    await writeFile(join(account, "token"), "second");
    expect(await client.get("/x", {}, never)).toBeDefined();
  });

  it("refuses a server that its authority does not vouch for", async () => {
    const { client, account } = await inPod((_, response) => answer(response, 200, {}));
    const { cert } = await generate([{ name: "commonName", value: "other" }], elliptic);
    await writeFile(join(account, "ca.crt"), cert);
    await expect(client.get("/x", {}, never)).rejects.toMatchObject({ name: "KubeApiError", status: undefined });
  });

  it("tells what the server says when it refuses, and when to come again", async () => {
    const { client } = await inPod((_, response) => {
      response.setHeader("retry-after", "7");
      answer(response, 429, { kind: "Status", message: "too many" });
    });
    const expected = { status: 429, message: "/x: 429 too many", retryAfterMs: 7_000 };
    await expect(client.get("/x", {}, never)).rejects.toMatchObject(expected);
    await expect(all(client.watch("/x", {}, never))).rejects.toMatchObject(expected);
  });

  it("reads the events of a watch however they are cut", async () => {
    const { client } = await inPod((_, response) => {
      response.write('{"type":"ADDED","object":{"a":"ß"}}\n\n{"ty');
      setTimeout(() => response.end('pe":"BOOKMARK"}\n'), 20);
    });
    expect(await all(client.watch("/x", {}, never))).toEqual([
      { type: "ADDED", object: { a: "ß" } },
      { type: "BOOKMARK" },
    ]);
  });

  it.each([
    { name: "that is cut off", send: '{"type":"ADDED"', message: "the watch was cut off within an event" },
    { name: "that is no JSON", send: "hello\n", message: "an event of the watch is no JSON" },
    {
      name: "that is too long",
      send: `"${"x".repeat(2_000)}`,
      message: "an event of the watch is longer than 1024 bytes",
    },
  ])("fails for an event $name", async ({ send, message }) => {
    const { client } = await inPod((_, response) => response.end(send));
    await expect(all(client.watch("/x", {}, never))).rejects.toMatchObject({ name: "KubeApiError", message });
  });

  it("ends a watch in which nothing is said", async () => {
    const { client } = await inPod((_, response) => response.write('{"type":"BOOKMARK"}\n'));
    await expect(all(client.watch("/x", {}, never))).rejects.toMatchObject({ name: "KubeApiError", status: undefined });
  });

  it("waits no longer for an answer than it may", async () => {
    const { client } = await inPod(() => undefined, { requestTimeoutMs: 100 });
    await expect(client.get("/x", {}, never)).rejects.toMatchObject({ name: "KubeApiError" });
  });

  it("reads no more of an answer than it may", async () => {
    const { client } = await inPod((_, response) => answer(response, 200, { pad: "x".repeat(70_000) }));
    await expect(client.get("/x", {}, never)).rejects.toMatchObject({
      message: "the answer to /x is longer than 65536 bytes",
    });
  });

  it("rejects with the reason of whoever gives up", async () => {
    const { client } = await inPod(() => undefined);
    const reason = new Error("enough");
    const end = new AbortController();
    const asked = client.get("/x", {}, end.signal);
    end.abort(reason);
    await expect(asked).rejects.toBe(reason);
  });
});

it("out of a cluster a kubeconfig is needed", async () => {
  vi.stubEnv("KUBERNETES_SERVICE_HOST", undefined);
  vi.stubEnv("KUBERNETES_SERVICE_PORT", undefined);
  const opened = ClusterClient.open({ kubeconfig: undefined, context: undefined, ...limits });
  await expect(opened).rejects.toThrow("this is no pod of a cluster: a kubeconfig is needed");
});
