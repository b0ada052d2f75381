import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ConnectionOptions, connect } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { HttpListener, type PemSource, ServerMaker } from "../../../src/http/index.ts";
import { startExtProcServer } from "../../../src/surface/ext-proc/index.ts";
import { authority, issued, type Pems } from "../../support/tls/authority.ts";
import { plainOptions, roomyLimits } from "../../unit/http/support.ts";
import { FakeRouter, RecordingLogger, RecordingTelemetry } from "../../unit/surface/ext-proc/fakes.ts";

/** A listener under test: where it is, and what it logs. */
interface Listening {
  readonly address: string;
  readonly errors: () => readonly object[];
  close(): Promise<void>;
}

async function extProc(tls: PemSource): Promise<Listening> {
  const logger = new RecordingLogger();
  const options = { host: "127.0.0.1", port: 0, healthPort: "off" as const, tls };
  const server = await startExtProcServer(options, new FakeRouter(), new RecordingTelemetry(), logger);
  const errors = () => logger.lines.filter(({ level }) => level === "error");
  return { address: server.address, errors, close: () => server.close() };
}

async function routeApi(tls: PemSource): Promise<Listening> {
  const lines: object[] = [];
  const log = { info: () => undefined, error: (fields: object) => lines.push(fields) };
  const dependencies = { log, observer: { answered: () => undefined }, now: () => performance.now() };
  const listener = await HttpListener.start([], { ...plainOptions, tls }, dependencies);
  return { address: listener.address, errors: () => lines, close: () => listener.close(0) };
}

/** What the proxy listens with. */
async function bareHttp(tls: PemSource): Promise<Listening> {
  const lines: object[] = [];
  const log = { info: () => undefined, error: (fields: object) => lines.push(fields) };
  const maker = await ServerMaker.prepare(roomyLimits, tls, log);
  const server = maker.make({ receive: (_request, response) => response.end(), errorBody: () => "{}" });
  await new Promise<void>((resolve) => server.listen({ host: "127.0.0.1", port: 0 }, resolve));
  const { port } = server.address() as { port: number };
  const close = async () => {
    maker.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { address: `127.0.0.1:${port}`, errors: () => lines, close };
}

/** Whether a client with this certificate is answered: a refusal comes after its own side of the handshake is done. */
async function isTaken(listening: Listening, client?: Partial<Pems> & { readonly session?: Buffer }): Promise<boolean> {
  return (await connection(listening, client)).isAnswered;
}

/** One connection, and the session that it could be resumed by. */
function connection(
  { address }: Listening,
  client?: ConnectionOptions,
): Promise<{ readonly isAnswered: boolean; readonly session: Buffer | undefined }> {
  const [host = "", port] = address.split(":");
  return new Promise((resolve) => {
    const options = { host, port: Number(port), rejectUnauthorized: false, ALPNProtocols: ["h2", "http/1.1"] };
    const socket = connect({ ...options, ...client });
    socket.once("secureConnect", () => socket.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\u0004\0\0\0\0\0"));
    let isAnswered = false;
    let session: Buffer | undefined;
    socket.on("session", (ticket) => {
      session = ticket;
    });
    socket.once("data", () => {
      isAnswered = true;
      socket.destroy();
    });
    socket.on("error", () => undefined);
    socket.once("close", () => resolve({ isAnswered, session }));
  });
}

const listeners = [
  { name: "ext_proc", start: extProc },
  { name: "the route API", start: routeApi },
  { name: "the proxy", start: bareHttp },
];

describe.each(listeners)("client certificates of $name", ({ start }) => {
  let folder: string;
  let [gateways, others]: readonly [Pems, Pems] = [
    { cert: "", key: "" },
    { cert: "", key: "" },
  ];
  let [gateway, stranger, expired]: readonly Pems[] = [];
  const open: Listening[] = [];
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pointsman-mtls-"));
    [gateways, others] = [await authority("gateways"), await authority("others")];
    gateway = await issued(gateways, "gateway");
    stranger = await issued(others, "gateway");
    expired = await issued(gateways, "gateway", new Date("2020-01-01"));
    const own = await issued(gateways, "picker");
    await writeFile(join(folder, "tls.crt"), own.cert);
    await writeFile(join(folder, "tls.key"), own.key);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((listener) => listener.close()));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function listen(clientCa: string, kind: "files" | "self-signed" = "files"): Promise<Listening> {
    const clientCaFile = join(folder, "ca.crt");
    await writeFile(clientCaFile, clientCa);
    const common = { clientCaFile, reloadIntervalMs: 20 };
    const files = { kind: "files", certFile: join(folder, "tls.crt"), keyFile: join(folder, "tls.key") } as const;
    const listener = await start(kind === "files" ? { ...files, ...common } : { kind, ...common });
    open.push(listener);
    return listener;
  }

  it.each(["files", "self-signed"] as const)("are needed, with mode %s", async (kind) => {
    const listener = await listen(gateways.cert, kind);
    expect(await isTaken(listener, gateway)).toBe(true);
    expect(await isTaken(listener)).toBe(false);
    expect(await isTaken(listener, stranger)).toBe(false);
    expect(await isTaken(listener, expired)).toBe(false);
  });

  it("are not asked for without a file of authorities", async () => {
    const listener = await start({ kind: "self-signed" });
    open.push(listener);
    expect(await isTaken(listener)).toBe(true);
    expect(await isTaken(listener, stranger)).toBe(true);
  });

  it("may come from any authority of the file", async () => {
    const listener = await listen(`${others.cert}\n${gateways.cert}`);
    expect(await isTaken(listener, gateway)).toBe(true);
    expect(await isTaken(listener, stranger)).toBe(true);
  });

  it("are checked by the new authorities once the file changes, and by the old ones while it is no such file", async () => {
    const listener = await listen(gateways.cert, "self-signed");
    await writeFile(join(folder, "ca.crt"), "not a certificate");
    await expect.poll(() => listener.errors().length).toBeGreaterThan(0);
    expect(await isTaken(listener, gateway)).toBe(true);
    expect(await isTaken(listener, stranger)).toBe(false);
    await writeFile(join(folder, "ca.crt"), others.cert);
    await expect.poll(() => isTaken(listener, stranger)).toBe(true);
    expect(await isTaken(listener, gateway)).toBe(false);
  });

  it("are not spared to a client by a session of before", async () => {
    const listener = await listen(gateways.cert);
    const { session } = await connection(listener, gateway);
    if (session === undefined) throw new Error("no session was given");
    expect(await isTaken(listener, { session })).toBe(true);
    await writeFile(join(folder, "ca.crt"), others.cert);
    await expect.poll(() => isTaken(listener, stranger)).toBe(true);
    expect(await isTaken(listener, { session })).toBe(false);
    expect(await isTaken(listener, { ...gateway, session })).toBe(false);
  });

  it.each(["", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])(
    "of no authority at all stop the start: %j",
    async (text) => {
      await expect(listen(text)).rejects.toThrow("ca.crt holds no certificates");
    },
  );
});
