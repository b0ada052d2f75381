import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:tls";
import { credentials } from "@grpc/grpc-js";
import { generate } from "selfsigned";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type ExtProcOptions, type ExtProcServer, startExtProcServer } from "../../../src/surface/ext-proc/index.ts";
import { FakeRouter, RecordingLogger, RecordingTelemetry } from "../../unit/surface/ext-proc/fakes.ts";
import {
  errorOf,
  requestBody,
  requestHeaders,
  responseBody,
  responseHeaders,
  shapes,
} from "../../unit/surface/ext-proc/messages.ts";
import { GrpcGateway } from "./grpc-gateway.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === "::1"));

const SERVING = 1;
const NOT_SERVING = 2;
const SERVICE_UNKNOWN = 3;

const router = new FakeRouter();
const telemetry = new RecordingTelemetry();
const logger = new RecordingLogger();
const started: ExtProcServer[] = [];
const gateways: GrpcGateway[] = [];

async function start(options: ExtProcOptions = {}): Promise<ExtProcServer> {
  const plain = { host: "127.0.0.1", port: 0, healthPort: 0, tls: { kind: "plaintext" as const } };
  const server = await startExtProcServer({ ...plain, ...options }, router, telemetry, logger);
  started.push(server);
  return server;
}

function gatewayTo(address: string, isSecure = false): GrpcGateway {
  const channel = isSecure ? credentials.createSsl(null, null, null, { rejectUnauthorized: false }) : undefined;
  const gateway = new GrpcGateway(address, channel);
  gateways.push(gateway);
  return gateway;
}

afterEach(async () => {
  for (const gateway of gateways.splice(0)) gateway.close();
  await Promise.all(started.splice(0).map((server) => server.close()));
});

const accepts = (address: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(`tcp://${address}`);
    const socket = connectTcp(Number(port), hostname);
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("connect", () => socket.destroy());
  });

describe("a shared port", () => {
  it("is listened on from the opening on, and health at once", async () => {
    const port = Number((await start()).address.split(":")[1]);
    await started.shift()?.close();
    const server = await start({ port, sharesPort: true });
    expect(await accepts(server.address)).toBe(false);
    expect(await accepts(server.healthAddress ?? "")).toBe(true);
    await server.open();
    await server.open();
    expect(await accepts(server.address)).toBe(true);
  });

  it("is not listened on once the server is closed", async () => {
    const port = Number((await start()).address.split(":")[1]);
    await started.shift()?.close();
    const server = await start({ port, sharesPort: true });
    await server.close();
    await server.open();
    expect(await accepts(server.address)).toBe(false);
  });
});

describe("the gRPC server", () => {
  it("tells of a connection that breaks, since all streams on it end", async () => {
    const server = await start();
    const socket = connectTcp(Number(server.address.split(":")[1]), "127.0.0.1");
    socket.on("error", () => undefined);
    // A HEADERS frame for stream 0.
    const frame = Buffer.from([0, 0, 1, 1, 4, 0, 0, 0, 0, 0]);
    socket.write(
      Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]), frame]),
    );
    await expect
      .poll(() => logger.lines)
      .toContainEqual(
        expect.objectContaining({ level: "warn", message: "ext_proc: a connection broke, with all its streams" }),
      );
    socket.destroy();
  });

  it("makes little of a probe that speaks no gRPC to the health port", async () => {
    const server = await start();
    const before = logger.lines.length;
    await expect(fetch(`http://${server.healthAddress}/health`)).rejects.toThrow();
    await expect
      .poll(() => logger.lines)
      .toContainEqual(
        expect.objectContaining({ level: "debug", message: "health: a connection broke; the port speaks gRPC" }),
      );
    expect(logger.lines.slice(before).filter(({ level }) => level === "warn")).toEqual([]);
  });

  it("survives 3,000 streams that the gateway resets on one connection", { timeout: 60_000 }, async () => {
    const server = await start();
    const gateway = gatewayTo(server.address);
    const survivor = gateway.open();
    survivor.send(requestHeaders());
    for (let round = 0; round < 60; round += 1) {
      const streams = Array.from({ length: 50 }, () => gateway.open());
      for (const stream of streams) stream.send(requestHeaders({ isEnd: true }));
      const answers = await Promise.all(streams.map((stream) => stream.received(1)));
      expect(answers.map(shapes)).toEqual(Array(50).fill(["request_headers"]));
      for (const stream of streams) stream.call.cancel();
    }
    survivor.send(requestBody("{}", true));
    expect(shapes(await survivor.received(2))).toEqual(["request_headers", "request_body 2 end"]);
    await survivor.ended();
  });

  it("opens no more streams on a connection than it is told to", async () => {
    const server = await start({ maxStreamsPerConnection: 1 });
    const gateway = gatewayTo(server.address);
    const first = gateway.open();
    first.send(requestHeaders());
    const second = gateway.open();
    second.send(requestHeaders({ isEnd: true }));
    first.send(requestBody("{}", true));
    await first.received(2);
    expect(second.answers).toEqual([]);
    await first.ended();
    expect(shapes(await second.received(1))).toEqual(["request_headers"]);
  });

  it("takes a 20 MB body in one message", async () => {
    const server = await start();
    const stream = gatewayTo(server.address).open();
    stream.send(requestHeaders({ requestMode: 2 }), requestBody(Buffer.alloc(20 << 20, "x"), true));
    expect(shapes(await stream.received(2))).toEqual(["request_headers", "request_body"]);
    await stream.ended();
  });

  it("passes a long response to a gateway that reads slowly", async () => {
    const server = await start();
    const stream = gatewayTo(server.address).open();
    stream.send(requestHeaders({ isEnd: true }), responseHeaders());
    await stream.received(2);
    stream.call.pause();
    for (let index = 0; index < 100; index += 1) stream.send(responseBody(Buffer.alloc(60_000, "x")));
    stream.send(responseBody("", true));
    stream.call.resume();
    const answers = await stream.received(103);
    expect(answers.length).toBe(103);
    expect(shapes(answers).at(-1)).toBe("response_body 0 end");
    expect(await stream.ended()).toBe(0);
  });

  it("rejects when a port is taken", async () => {
    const server = await start();
    const taken = Number(server.address.split(":").at(-1));
    await expect(start({ healthPort: taken })).rejects.toThrow("EADDRINUSE");
    await expect(start({ port: taken })).rejects.toThrow("EADDRINUSE");
  });

  it.runIf(hasIpv6)("listens on IPv6", async () => {
    const server = await start({ host: "::1" });
    expect(server.address).toMatch(/^\[::1\]:\d+$/);
    const stream = gatewayTo(server.address).open();
    stream.send(requestHeaders({ isEnd: true }));
    expect(shapes(await stream.received(1))).toEqual(["request_headers"]);
  });
});

describe("health", () => {
  const readinessNames = ["", "readiness", "inference-extension", "envoy.service.ext_proc.v3.ExternalProcessor"];

  it("is answered on both ports under every name, and follows readiness", async () => {
    const server = await start();
    for (const gateway of [gatewayTo(server.address), gatewayTo(server.healthAddress ?? "")]) {
      for (const [isReady, status] of [
        [false, NOT_SERVING],
        [true, SERVING],
      ] as const) {
        server.setReady(isReady);
        for (const name of readinessNames) expect(await gateway.check(name)).toBe(status);
        expect(await gateway.check("liveness")).toBe(SERVING);
      }
      expect(await gateway.check("no.such.service")).toBe(SERVICE_UNKNOWN);
    }
  });

  it("is plain text on its own port when the main port has TLS", async () => {
    const server = await start({ tls: { kind: "self-signed" } });
    expect(await gatewayTo(server.healthAddress ?? "").check("liveness")).toBe(SERVING);
    expect(await gatewayTo(server.address, true).check("liveness")).toBe(SERVING);
  });

  it("has no port of its own when that is off", async () => {
    const server = await start({ healthPort: "off" });
    expect(server.healthAddress).toBeUndefined();
    expect(await gatewayTo(server.address).check("liveness")).toBe(SERVING);
  });

  it("tells watchers each change", async () => {
    const server = await start();
    const watch = gatewayTo(server.healthAddress ?? "").watch("readiness");
    expect(await watch.next()).toBe(NOT_SERVING);
    server.setReady(true);
    expect(await watch.next()).toBe(SERVING);
    watch.cancel();
  });
});

describe("draining", () => {
  it("takes readiness away, lets streams finish, and refuses new requests with 503", async () => {
    const server = await start({ drainNoticeMs: 0 });
    server.setReady(true);
    const gateway = gatewayTo(server.address);
    const watch = gateway.watch("readiness");
    const stream = gateway.open();
    stream.send(requestHeaders());
    await vi.waitFor(() => expect(telemetry.totals.picks).toBe(1));
    expect(await watch.next()).toBe(SERVING);
    const drained = server.drain(10_000);
    expect(await watch.next()).toBe(NOT_SERVING);
    expect(await gateway.check("liveness")).toBe(SERVING);
    const late = gateway.open();
    late.send(requestHeaders());
    expect(errorOf((await late.received(1))[0])).toMatchObject({ code: "shutting_down" });
    await late.ended();
    stream.send(requestBody("{}", true), responseHeaders(), responseBody("x", true));
    expect((await stream.received(4)).length).toBe(4);
    await stream.ended();
    watch.cancel();
    await drained;
  });

  it("goes on serving new requests while gateways are to notice", async () => {
    const server = await start({ drainNoticeMs: 300 });
    const gateway = gatewayTo(server.address);
    const drained = server.drain(10_000);
    const stream = gateway.open();
    stream.send(requestHeaders({ isEnd: true }));
    expect(shapes(await stream.received(1))).toEqual(["request_headers"]);
    await stream.ended();
    await drained;
  });

  it("refuses what waits and cuts what streams at its bound", async () => {
    const server = await start({ drainNoticeMs: 0 });
    const gateway = gatewayTo(server.address);
    const waiting = gateway.open();
    waiting.send(requestHeaders());
    const streaming = gateway.open();
    streaming.send(requestHeaders({ isEnd: true }), responseHeaders());
    await streaming.received(2);
    await vi.waitFor(() => expect(telemetry.totals.picks).toBe(1));
    await server.drain(100);
    expect(errorOf((await waiting.received(1))[0])).toMatchObject({ code: "shutting_down" });
    expect(await streaming.ended()).not.toBe(0);
  });
});

describe("TLS", () => {
  async function pemPair(commonName: string) {
    return generate([{ name: "commonName", value: commonName }], { keyType: "ec", algorithm: "sha256" });
  }

  function subjectAt(address: string): Promise<string> {
    const [host = "", port] = address.split(":");
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ["h2"] }, () => {
        resolve(`${String(socket.getPeerCertificate().subject.CN)} ${socket.alpnProtocol}`);
        socket.destroy();
      });
      socket.on("error", reject);
    });
  }

  async function eventually(isSo: () => Promise<boolean> | boolean): Promise<void> {
    while (!(await isSo())) await new Promise((resolve) => setImmediate(resolve));
  }

  it("serves a certificate of its own for HTTP/2", async () => {
    const server = await start({ tls: { kind: "self-signed" } });
    expect(await subjectAt(server.address)).toBe("localhost h2");
  });

  it("serves a gateway that names no protocol in its handshake", async () => {
    const server = await start({ tls: { kind: "self-signed" } });
    const port = Number(server.address.split(":").at(-1));
    const session = connectHttp2("https://localhost", {
      createConnection: () => connect({ host: "127.0.0.1", port, rejectUnauthorized: false }),
    });
    const headers = { ":path": "/grpc.health.v1.Health/Check", ":method": "POST", "content-type": "application/grpc" };
    const stream = session.request({ ...headers, te: "trailers" });
    stream.end(Buffer.from("00000000" + "00", "hex"));
    const status = await new Promise((resolve, reject) => {
      session.on("error", reject);
      stream.on("error", reject);
      stream.on("trailers", (trailers) => resolve(trailers["grpc-status"]));
      stream.resume();
    });
    session.destroy();
    expect(status).toBe("0");
  });

  it("serves new files to new connections, and keeps the old pair while the new one does not fit", async () => {
    const folder = await mkdtemp(join(tmpdir(), "pointsman-tls-"));
    try {
      const files = { certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") };
      const first = await pemPair("first");
      await writeFile(files.certFile, first.cert);
      await writeFile(files.keyFile, first.private);
      const server = await start({ tls: { kind: "files", ...files, reloadIntervalMs: 20 } });
      expect(await subjectAt(server.address)).toBe("first h2");
      const old = gatewayTo(server.address, true);
      expect(await old.check("liveness")).toBe(SERVING);

      const second = await pemPair("second");
      logger.lines.length = 0;
      await writeFile(files.certFile, second.cert);
      await eventually(() => logger.lines.some(({ level }) => level === "error"));
      expect(await subjectAt(server.address)).toBe("first h2");
      await writeFile(files.keyFile, second.private);
      await eventually(async () => (await subjectAt(server.address)) === "second h2");
      expect(await old.check("liveness")).toBe(SERVING);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it("names the files that cannot be read", async () => {
    const tls = { kind: "files", certFile: "/no/such/tls.crt", keyFile: "/no/such/tls.key" } as const;
    await expect(start({ tls })).rejects.toThrow("/no/such/tls");
  });
});
