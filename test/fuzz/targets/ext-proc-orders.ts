import assert from "node:assert/strict";
import { type ClientHttp2Session, connect } from "node:http2";
import { setImmediate as turn } from "node:timers/promises";
import { type ExtProcServer, startExtProcServer } from "../../../src/surface/ext-proc/index.ts";
import type { ProcessingRequest } from "../../../src/surface/ext-proc/processing-messages.ts";
import { RecordingLogger, RecordingTelemetry } from "../../unit/surface/ext-proc/fakes.ts";
import { headerMap } from "../../unit/surface/ext-proc/messages.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { StallWatch } from "../framework/stall-watch.ts";
import { untilHolds } from "../framework/until-holds.ts";
import { checkAnyStream, checkLegalStream, isBroken, isPlacement } from "./ext-proc/answer-claims.ts";
import { GatewayStream } from "./ext-proc/gateway-stream.ts";
import { PlannedRouter, streamHeader, targetMember } from "./ext-proc/planned-router.ts";
import {
  allowedEndpoints,
  maxBodyBytes,
  maxMessageBytes,
  type OrderCase,
  orderCase,
  type Step,
  type StreamCase,
  type SubsetHint,
} from "./ext-proc/stream-case.ts";

/** Messages of ext_proc in any order, on streams of a real server that a bare HTTP/2 client opens. */
export const extProcOrders: FuzzTarget = {
  name: "ext-proc",
  claim: "any order of messages is answered at most once each and leaves nothing behind",
  cases: 1_000,
  async open() {
    let bench = await OrderBench.start();
    const check = async (each: OrderCase) => {
      try {
        await bench.check(each);
      } catch (error) {
        // What it has left must not be the next one's fault.
        await bench.close();
        bench = await OrderBench.start();
        throw error;
      }
    };
    return fuzzing<OrderCase>({ cases: orderCase, check }, () => bench.close());
  },
};

/** A running server with a client before it. */
class OrderBench {
  readonly #router = new PlannedRouter();
  readonly #telemetry = new RecordingTelemetry();
  readonly #logger = new RecordingLogger();
  readonly #stalls = new StallWatch();
  #server: ExtProcServer | undefined;
  #session: ClientHttp2Session | undefined;
  #opened = 0;

  static async start(): Promise<OrderBench> {
    const bench = new OrderBench();
    const options = {
      host: "127.0.0.1",
      port: 0,
      healthPort: "off" as const,
      tls: { kind: "plaintext" as const },
      maxBodyBytes,
      maxMessageBytes,
    };
    bench.#server = await startExtProcServer(options, bench.#router, bench.#telemetry, bench.#logger);
    // As gRPC libraries do: what Node takes for the memory of a session grows with each stream that was reset.
    bench.#session = connect(`http://${bench.#server.address}`, { maxSessionMemory: Number.MAX_SAFE_INTEGER });
    return bench;
  }

  async close(): Promise<void> {
    this.#stalls.close();
    this.#session?.destroy();
    await this.#server?.close();
  }

  async check({ streams, turns }: OrderCase): Promise<void> {
    this.#logger.lines.length = 0;
    this.#stalls.restart();
    const running = streams.map((plan) => this.#open(plan));
    for (const each of turns) await running[each % running.length]?.step();
    for (const stream of running) await stream.finish();
    await this.#allGivenBack();
    for (const stream of running) stream.check(this.#router);
    this.#checkLog(streams);
    this.#stalls.check(100);
    await this.#nextStreamWorks();
    this.#router.asked.length = 0;
    this.#router.plans.clear();
  }

  #open(plan: StreamCase): RunningStream {
    if (this.#session === undefined) throw new Error("not started");
    const name = `s${this.#opened++}`;
    this.#router.plans.set(name, plan.pick);
    return new RunningStream(this.#session, name, plan);
  }

  async #allGivenBack(): Promise<void> {
    await untilHolds(
      () => Object.values(this.#telemetry.totals).every((count) => count === 0),
      () => `in flight at the end: ${JSON.stringify(this.#telemetry.totals)}`,
    );
    for (const { calls } of this.#router.reservations) {
      assert.equal(calls.filter((call) => call === "release").length, 1, "each reservation is released");
    }
    this.#router.reservations.length = 0;
    for (const { signal } of this.#router.asked) assert.ok(signal?.aborted ?? true, "nobody waits for the pick");
  }

  #checkLog(streams: readonly StreamCase[]): void {
    const errors = this.#logger.lines.filter(({ level }) => level === "error" || level === "warn");
    const mayFail = streams.some(({ pick }) => pick.what === "fault");
    if (!mayFail) assert.deepEqual(errors, []);
  }

  /** A stream as every gateway opens them. */
  async #nextStreamWorks(): Promise<void> {
    const steps: readonly Step[] = [
      { does: "headers", end: false },
      { does: "body", bytes: 10, end: true },
    ];
    const pick = { when: "atOnce", what: "pick" } as const;
    const plan: StreamCase = { requestMode: 4, responseMode: 4, pick, steps, isLegal: true, end: "halfClose" };
    const stream = this.#open(plan);
    await stream.finish();
    stream.check(this.#router);
    await this.#allGivenBack();
  }
}

/** One stream while its steps are taken. */
class RunningStream {
  readonly #session: ClientHttp2Session;
  readonly #stream: GatewayStream;
  readonly #name: string;
  readonly #plan: StreamCase;
  #taken = 0;
  #isFirst = true;
  readonly #requestBody: Buffer[] = [];
  readonly #responseBody: Buffer[] = [];

  constructor(session: ClientHttp2Session, name: string, plan: StreamCase) {
    this.#session = session;
    this.#stream = new GatewayStream(session);
    this.#name = name;
    this.#plan = plan;
  }

  /** Takes the next step; nothing when there is none. */
  async step(): Promise<void> {
    const step = this.#plan.steps[this.#taken];
    if (step === undefined || this.#stream.isClosed) return;
    if (this.#plan.isLegal && step.does === "responseHeaders") await this.#placed();
    this.#taken++;
    await this.#take(step);
  }

  /** The rest of the steps, and the end. */
  async finish(): Promise<void> {
    while (this.#taken < this.#plan.steps.length && !this.#stream.isClosed) await this.step();
    const { end, isLegal } = this.#plan;
    if (isLegal && !this.#stream.isClosed) await this.#settled();
    if (end === "halfClose") this.#stream.halfClose();
    else if (end === "cancel") this.#stream.cancel();
    else this.#stream.reset();
    await untilHolds(
      () => this.#stream.isClosed,
      () => "the stream did not end",
    );
  }

  check(router: PlannedRouter): void {
    const sent = this.#plan.steps.slice(0, this.#taken);
    const record = {
      plan: this.#plan,
      sent,
      requestBody: Buffer.concat(this.#requestBody),
      responseBody: Buffer.concat(this.#responseBody),
      answers: this.#stream.answers,
      status: this.#stream.status,
      picks: router.asked.filter(({ stream }) => stream === this.#name),
    };
    checkAnyStream(record);
    if (this.#plan.isLegal && this.#plan.pick.when !== "never") checkLegalStream(record);
  }

  /** Until the request is answered, or refused. */
  async #placed(): Promise<void> {
    if (this.#plan.pick.when === "never") return;
    const isPlaced = () =>
      this.#stream.isClosed ||
      this.#stream.answers.some((answer) => answer.immediate_response !== undefined || isPlacement(answer));
    await untilHolds(isPlaced, () => "the request was not answered");
    await this.#settled();
  }

  /** Everything sent has been read, and what was answered has come. */
  async #settled(): Promise<void> {
    let received = 0;
    for (let still = 0; still < 3; still++) {
      await turn();
      await new Promise<void>((resolve) => {
        if (!this.#session.ping(() => resolve())) resolve();
      });
      if (this.#stream.receivedBytes > received) still = 0;
      received = this.#stream.receivedBytes;
    }
  }

  async #take(step: Step): Promise<void> {
    const stream = this.#stream;
    if (step.does === "wait") await this.#settled();
    else if (step.does === "garbage") stream.sendBytes(Buffer.from(step.bytes));
    else if (step.does === "compressed") stream.sendCompressed();
    else if (step.does === "tooLong") stream.sendTooLong();
    else if (step.does === "half") stream.sendHalf();
    else stream.send(this.#first(this.#message(step)));
    if (isBroken(step)) await turn();
  }

  #first(message: ProcessingRequest): ProcessingRequest {
    const { requestMode, responseMode } = this.#plan;
    const isTold = this.#isFirst && requestMode !== undefined && responseMode !== undefined;
    this.#isFirst = false;
    if (!isTold) return message;
    return { ...message, protocol_config: { request_body_mode: requestMode, response_body_mode: responseMode } };
  }

  #message(step: Step): ProcessingRequest {
    switch (step.does) {
      case "headers": {
        const length: Record<string, string> = step.length === undefined ? {} : { "content-length": `${step.length}` };
        const headers = { ":path": "/v1/chat/completions", [streamHeader]: this.#name, ...length };
        const hint = step.subset === undefined ? {} : { metadata_context: subsetMetadata(step.subset) };
        return { request_headers: { headers: headerMap(headers), end_of_stream: step.end }, ...hint };
      }
      case "body":
        return { request_body: { body: this.#bytes(step.bytes, this.#requestBody), end_of_stream: step.end } };
      case "trailers":
        return { request_trailers: {} };
      case "responseHeaders": {
        const type = { json: "application/json", events: "text/event-stream", none: "image/png" }[step.type];
        const encoding: Record<string, string> =
          step.encoding === undefined ? {} : { "content-encoding": step.encoding };
        const headers = { ":status": "200", "content-type": type, ...encoding };
        return { response_headers: { headers: headerMap(headers), end_of_stream: step.end } };
      }
      case "responseBody":
        return { response_body: { body: this.#bytes(step.bytes, this.#responseBody), end_of_stream: step.end } };
      case "responseTrailers":
        return { response_trailers: {} };
      case "observe":
        return { observability_mode: true, request_headers: {} };
      default:
        return {};
    }
  }

  /** Bytes that tell where they belong. */
  #bytes(count: number, kept: Buffer[]): Buffer {
    const text = `${this.#name} ${this.#taken} ${kept === this.#responseBody ? targetMember : ""}`;
    const bytes = Buffer.alloc(count, text);
    kept.push(bytes);
    return bytes;
  }
}

/** As gateways restrict the choice: envoy.lb.subset_hint of the endpoint-picker protocol. */
function subsetMetadata(hint: SubsetHint): NonNullable<ProcessingRequest["metadata_context"]> {
  const strings = hint === "none" ? [] : allowedEndpoints;
  const list = { listValue: { values: strings.map((stringValue) => ({ stringValue })) } };
  const value = hint === "text" ? { stringValue: strings.join(", ") } : list;
  return {
    filter_metadata: { "envoy.lb.subset_hint": { fields: { "x-gateway-destination-endpoint-subset": value } } },
  };
}
