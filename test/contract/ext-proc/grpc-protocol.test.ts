import { type ClientHttp2Session, connect } from "node:http2";
import type { MethodDefinition } from "@grpc/grpc-js";
import { afterEach, expect, it } from "vitest";
import { type ExtProcServer, startExtProcServer } from "../../../src/surface/ext-proc/index.ts";
import type { ProcessingRequest } from "../../../src/surface/ext-proc/processing-messages.ts";
import { loadServiceDefinitions } from "../../../src/surface/ext-proc/service-definitions.ts";
import { FakeRouter, RecordingLogger, RecordingTelemetry } from "../../unit/surface/ext-proc/fakes.ts";
import { requestBody, requestHeaders } from "../../unit/surface/ext-proc/messages.ts";

const PROCESS = "/envoy.service.ext_proc.v3.ExternalProcessor/Process";
const method = loadServiceDefinitions().externalProcessor["Process"] as MethodDefinition<ProcessingRequest, object>;

const telemetry = new RecordingTelemetry();
let server: ExtProcServer | undefined;
let session: ClientHttp2Session | undefined;

afterEach(async () => {
  session?.destroy();
  await server?.close();
});

function framed(message: ProcessingRequest): Buffer {
  const bytes = method.requestSerialize(message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

/** What a client sees of a call whose bytes it makes itself. */
interface Outcome {
  readonly status: number;
  readonly grpcStatus: string | undefined;
  readonly message: string;
  readonly answerBytes: number;
}

async function call(chunks: readonly Buffer[], headers: Record<string, string> = {}): Promise<Outcome> {
  const options = { host: "127.0.0.1", port: 0, healthPort: "off", tls: { kind: "plaintext" } } as const;
  const limits = { maxMessageBytes: 2_000, maxBodyBytes: 1_000 };
  server = await startExtProcServer({ ...options, ...limits }, new FakeRouter(), telemetry, new RecordingLogger());
  session = connect(`http://${server.address}`);
  const stream = session.request({
    ":method": "POST",
    ":path": PROCESS,
    "content-type": "application/grpc",
    te: "trailers",
    ...headers,
  });
  let answerBytes = 0;
  const seen: Record<string, unknown> = {};
  stream.on("response", (response) => Object.assign(seen, response));
  stream.on("trailers", (trailers) => Object.assign(seen, trailers));
  stream.on("data", (data: Buffer) => {
    answerBytes += data.length;
  });
  for (const chunk of chunks) stream.write(chunk);
  stream.end();
  await new Promise((resolve, reject) => stream.on("close", resolve).on("error", reject));
  const grpcStatus = seen["grpc-status"] as string | undefined;
  return { status: Number(seen[":status"]), grpcStatus, message: String(seen["grpc-message"] ?? ""), answerBytes };
}

it("ends a stream with status 0 when the gateway has ended its side, also one without a message", async () => {
  expect(await call([framed(requestHeaders({ isEnd: true }))])).toMatchObject({ status: 200, grpcStatus: "0" });
  await server?.close();
  expect(await call([])).toMatchObject({ status: 200, grpcStatus: "0", answerBytes: 0 });
});

it.each([
  { name: "compressed messages", bytes: Buffer.from([1, 0, 0, 0, 1, 0]), grpcStatus: "12" },
  { name: "messages over the limit", bytes: Buffer.from([0, 0, 1, 0, 0, 0]), grpcStatus: "8" },
  { name: "messages that are no protobuf", bytes: Buffer.from([0, 0, 0, 0, 2, 0x0a, 0x05]), grpcStatus: "13" },
  { name: "a message that does not end", bytes: Buffer.from([0, 0, 0, 0, 9, 0x0a]), grpcStatus: "13" },
])("refuses $name with status $grpcStatus, before and after an answer", async ({ bytes, grpcStatus }) => {
  const bare = await call([bytes]);
  expect(bare).toMatchObject({ status: 200, grpcStatus, answerBytes: 0 });
  expect(bare.message).not.toBe("");
  await server?.close();
  telemetry.aborts.length = 0;
  const begun = await call([framed(requestHeaders()), framed(requestBody("{}", true)), bytes]);
  expect(begun.grpcStatus).toBe(grpcStatus);
  expect(telemetry.aborts.length).toBe(1);
  expect(telemetry.totals).toEqual({ streams: 0, picks: 0, bodyBytes: 0 });
});

it("ends with status 0 when the request is refused and what follows in the same packet is no message", async () => {
  const tooLong = requestHeaders({ headers: { "content-length": "5000" } });
  const { grpcStatus, answerBytes } = await call([Buffer.concat([framed(tooLong), Buffer.from([1, 0, 0, 0, 0])])]);
  expect(grpcStatus).toBe("0");
  expect(answerBytes).toBeGreaterThan(0);
});

it("leaves other methods and content types to the gRPC server", async () => {
  expect(await call([], { ":path": "/envoy.service.ext_proc.v3.ExternalProcessor/Nothing" })).toMatchObject({
    grpcStatus: "12",
  });
  await server?.close();
  expect(await call([], { "content-type": "application/json" })).toMatchObject({ status: 415 });
});

it.each([
  {
    name: "nothing of one whose pick was answered",
    messages: [requestHeaders({ isEnd: true })],
    isAnswered: true,
    lines: [],
  },
  {
    name: "one line without a stack of one that has no answer yet",
    messages: [requestHeaders()],
    isAnswered: false,
    lines: [
      {
        fields: { phase: "request", code: "ERR_HTTP2_STREAM_ERROR", reason: expect.stringContaining("INTERNAL_ERROR") },
        level: "debug",
        message: "ext_proc: stream broken before its answer",
      },
    ],
  },
])("logs, of a stream that Envoy resets, $name", async ({ messages, isAnswered, lines }) => {
  const logger = new RecordingLogger();
  const reset = new RecordingTelemetry();
  const aborted = new Promise<void>((resolve) => {
    reset.inFlight = ({ streams }) => {
      if (streams === 0) resolve();
    };
  });
  const options = { host: "127.0.0.1", port: 0, healthPort: "off", tls: { kind: "plaintext" } } as const;
  server = await startExtProcServer(options, new FakeRouter(), reset, logger);
  session = connect(`http://${server.address}`);
  const headers = { ":method": "POST", ":path": PROCESS, "content-type": "application/grpc", te: "trailers" };
  const stream = session.request(headers);
  stream.on("error", () => undefined);
  const answered = new Promise((resolve) => stream.once("data", resolve));
  for (const message of messages) await new Promise((resolve) => stream.write(framed(message), resolve));
  if (isAnswered) await answered;
  // Sends RST_STREAM with INTERNAL_ERROR, and no end of its own side before it.
  stream.destroy(new Error("enough"));
  await aborted;
  await new Promise((resolve) => setImmediate(resolve));
  expect(logger.lines).toEqual(lines);
});
