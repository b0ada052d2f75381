import { credentials } from "@grpc/grpc-js";
import { afterEach, describe, expect, it } from "vitest";
import { type ExtProcOptions, type ExtProcServer, startExtProcServer } from "../../../src/surface/ext-proc/index.ts";
import type { ProcessingRequest, ProcessingResponse } from "../../../src/surface/ext-proc/processing-messages.ts";
import { FakeRouter, RecordingLogger, RecordingTelemetry } from "../../unit/surface/ext-proc/fakes.ts";
import {
  BUFFERED,
  errorOf,
  requestBody,
  requestHeaders,
  requestTrailers,
  responseBody,
  responseHeaders,
  responseTrailers,
  STREAMED,
  setHeaders,
  shapes,
  streamedBody,
} from "../../unit/surface/ext-proc/messages.ts";
import { SessionWorld } from "../../unit/surface/ext-proc/session-harness.ts";
import { GrpcGateway } from "./grpc-gateway.ts";

/** One stream of a picker, whatever carries it. */
interface PickerStream {
  send(...messages: readonly ProcessingRequest[]): Promise<void>;
  /** Answers, once there are so many or the stream has ended. */
  received(count: number): Promise<readonly ProcessingResponse[]>;
  close(): Promise<void>;
}

interface Picker {
  readonly router: FakeRouter;
  readonly telemetry: RecordingTelemetry;
  open(): PickerStream;
  stop(): Promise<void>;
}

async function inMemory(options: ExtProcOptions): Promise<Picker> {
  const world = new SessionWorld(options);
  return {
    router: world.router,
    telemetry: world.telemetry,
    open: () => {
      const stream = world.open();
      return {
        send: (...messages) => stream.receive(...messages),
        received: async () => stream.answers,
        close: async () => stream.session.peerLeft(),
      };
    },
    stop: async () => undefined,
  };
}

async function overGrpc(options: ExtProcOptions, isSecure: boolean): Promise<Picker> {
  const router = new FakeRouter();
  const telemetry = new RecordingTelemetry();
  const server: ExtProcServer = await startExtProcServer(
    { host: "127.0.0.1", port: 0, healthPort: 0, ...(isSecure ? {} : { tls: { kind: "plaintext" } }), ...options },
    router,
    telemetry,
    new RecordingLogger(),
  );
  const channel = isSecure
    ? credentials.createSsl(null, null, null, { rejectUnauthorized: false })
    : credentials.createInsecure();
  const gateway = new GrpcGateway(server.address, channel);
  return {
    router,
    telemetry,
    open: () => {
      const stream = gateway.open();
      return {
        send: async (...messages) => stream.send(...messages),
        received: (count) => stream.received(count),
        close: async () => {
          await stream.ended();
        },
      };
    },
    stop: async () => {
      gateway.close();
      await server.close();
    },
  };
}

const pickers = [
  { name: "in memory", start: inMemory },
  { name: "over gRPC in plain text", start: (options: ExtProcOptions) => overGrpc(options, false) },
  { name: "over gRPC with its own certificate", start: (options: ExtProcOptions) => overGrpc(options, true) },
];

describe.each(pickers)("an endpoint picker $name", ({ start }) => {
  let picker: Picker;
  afterEach(() => picker.stop());

  it("serves a full-duplex request and its response", async () => {
    picker = await start({});
    picker.router.decide = async () => ({
      fallbacks: ["10.0.0.2:8000"],
      bodyEdit: { offset: 1, deleteBytes: 0, insert: [Buffer.from('"n":1,')] },
    });
    const stream = picker.open();
    const body = `{"a":"${"x".repeat(300_000)}"}`;
    await stream.send(requestHeaders());
    for (let at = 0; at < body.length; at += 16_384) await stream.send(requestBody(body.slice(at, at + 16_384)));
    await stream.send({ request_body: { end_of_stream: true } });
    const request = await stream.received(6);
    expect(shapes(request)).toEqual([
      "request_headers",
      ...Array(4).fill("request_body 62000"),
      `request_body ${body.length + 6 - 248_000} end`,
    ]);
    expect(streamedBody(request, "request_body").toString()).toBe(`{"n":1,${body.slice(1)}`);
    expect(setHeaders(request[0])["x-gateway-destination-endpoint"]).toBe("10.0.0.1:8000,10.0.0.2:8000");
    expect(picker.router.request.body.toString()).toBe(body);

    await stream.send(responseHeaders({ "content-type": "text/event-stream" }), responseBody("data: 1\n\n"));
    expect(shapes(await stream.received(8)).slice(6)).toEqual(["response_headers", "response_body 9"]);
    await stream.send(responseBody('data: {"usage":{"prompt_tokens":3}}\n\n'), {
      response_body: { end_of_stream: true },
    });
    expect(shapes(await stream.received(10)).at(-1)).toBe("response_body 0 end");
    await stream.close();
    expect(picker.router.reservation.calls).toEqual(["prefillComplete", "release"]);
    expect(picker.telemetry.usages).toMatchObject([{ inputTokens: 3 }]);
    expect(picker.telemetry.aborts).toEqual([]);
  });

  it("serves trailers both ways", async () => {
    picker = await start({});
    const stream = picker.open();
    await stream.send(requestHeaders(), requestBody("{}"), requestTrailers);
    await stream.received(3);
    await stream.send(responseHeaders(), responseBody("x"), responseTrailers);
    expect(shapes(await stream.received(6))).toEqual([
      "request_headers",
      "request_body 2",
      "request_trailers",
      "response_headers",
      "response_body 1",
      "response_trailers",
    ]);
    await stream.close();
  });

  it("serves a buffered request", async () => {
    picker = await start({});
    const stream = picker.open();
    await stream.send(requestHeaders({ requestMode: BUFFERED, responseMode: STREAMED }));
    expect(shapes(await stream.received(1))).toEqual(["request_headers"]);
    await stream.send(requestBody("{}", true));
    expect(setHeaders((await stream.received(2))[1])).toHaveProperty("x-gateway-destination-endpoint");
    await stream.send(responseHeaders(), responseBody("{}", true));
    expect(shapes(await stream.received(4)).slice(2)).toEqual(["response_headers", "response_body"]);
    await stream.close();
  });

  it("serves a request of only headers", async () => {
    picker = await start({});
    const stream = picker.open();
    await stream.send(requestHeaders({ isEnd: true }));
    expect(shapes(await stream.received(1))).toEqual(["request_headers"]);
    await stream.close();
  });

  it("refuses while the body is still coming", async () => {
    picker = await start({ maxBodyBytes: 100 });
    const stream = picker.open();
    await stream.send(requestHeaders(), requestBody("x".repeat(101)), requestBody("x"), requestBody("x", true));
    const answers = await stream.received(1);
    expect(errorOf(answers[0])).toMatchObject({ code: "body_too_large", type: "invalid_request_error" });
    await stream.close();
    expect(answers.length).toBe(1);
  });

  it("tells the router when the client leaves", async () => {
    picker = await start({});
    const isAborted = new Promise<void>((resolve) => {
      picker.router.decide = (_request, signal) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => {
            resolve();
            reject(signal.reason);
          });
        });
    });
    const stream = picker.open();
    await stream.send(requestHeaders(), requestBody("{}", true));
    await stream.close();
    await isAborted;
    expect(picker.telemetry.aborts).toEqual(["pick"]);
    expect(picker.telemetry.totals).toEqual({ streams: 0, picks: 0, bodyBytes: 0 });
  });
});
