import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { untilHolds } from "../framework/until-holds.ts";
import { checkForwarded } from "./http/forwarded-requests.ts";
import { bytesOf, type ClientBytes, clientBytes } from "./http/raw-requests.ts";
import { RawWorker } from "./http/raw-worker.ts";
import { type ParsedMessage, parseAll } from "./http/strict-parser.ts";

/** Bytes that clients write to the proxy's port, and what a worker then reads. */
export const proxyHttp: FuzzTarget = {
  name: "proxy-http",
  claim: "a worker reads what a strict reader of the client's bytes reads, without routing headers",
  cases: 250,
  async open() {
    let bench = await ProxyBench.start();
    const check = async (each: ClientBytes) => {
      try {
        await bench.check(each);
      } catch (error) {
        await bench.close();
        bench = await ProxyBench.start();
        throw error;
      }
    };
    const show = (each: ClientBytes) => JSON.stringify(bytesOf(each).toString("latin1"));
    return fuzzing<ClientBytes>({ cases: clientBytes, check, show }, () => bench.close());
  },
};

class ProxyBench {
  readonly #worker: RawWorker;
  readonly #proxy: RunningProxy;

  private constructor(worker: RawWorker, proxy: RunningProxy) {
    this.#worker = worker;
    this.#proxy = proxy;
  }

  static async start(): Promise<ProxyBench> {
    const worker = await RawWorker.start();
    return new ProxyBench(worker, await RunningProxy.start({ workers: [worker] }));
  }

  async close(): Promise<void> {
    await this.#proxy.close();
    await this.#worker.close();
  }

  async check(each: ClientBytes): Promise<void> {
    const bytes = bytesOf(each);
    const { seen, refusals } = this.#worker;
    seen.length = 0;
    const strict = parseAll(bytes, "request");
    const answers = await this.#send(bytes, each.cuts, answerable(strict.messages));
    assert.deepEqual(refusals.splice(0), [], "the worker was sent HTTP by the letter");
    // The proxy asks workers for their models itself.
    checkForwarded(
      strict.messages,
      seen.filter(({ line }) => line !== "GET /v1/models HTTP/1.1"),
      strict.rest,
    );
    checkAnswers(answers, strict.messages.length);
    await this.#nothingInFlight();
    await this.#nextWorks();
  }

  /** @returns what came back until the connection ended */
  async #send(bytes: Buffer, cuts: readonly number[], expected: number): Promise<Buffer> {
    const [host = "", port = ""] = this.#proxy.address.split(":");
    const socket = connect({ host, port: Number(port), noDelay: true });
    const received: Buffer[] = [];
    let isClosed = false;
    socket.on("data", (chunk: Buffer) => received.push(chunk));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      isClosed = true;
    });
    await once(socket, "connect");
    let at = 0;
    for (const cut of [...cuts].sort((a, b) => a - b)) {
      if (cut <= at || cut >= bytes.length || isClosed) continue;
      socket.write(bytes.subarray(at, cut));
      at = cut;
      await pause(1);
    }
    if (!isClosed) socket.write(bytes.subarray(at));
    const isAnswered = () => isClosed || answersIn(Buffer.concat(received)) >= expected;
    await untilHolds(isAnswered, () => `${answersIn(Buffer.concat(received))} answers to ${expected} requests`);
    socket.end();
    await untilHolds(
      () => isClosed,
      () => "the connection did not end",
    );
    return Buffer.concat(received);
  }

  async #nothingInFlight(): Promise<void> {
    await untilHolds(
      () => this.#proxy.booked.requests === 0,
      () => "load is booked for requests that are over",
    );
  }

  async #nextWorks(): Promise<void> {
    const body = '{"model":"m","messages":[{"role":"user","content":"next"}]}';
    const head = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nconnection: close";
    const answer = await this.#send(Buffer.from(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`), [], 1);
    assert.match(answer.toString("latin1"), /^HTTP\/1\.1 200 /);
    await this.#nothingInFlight();
  }
}

/** How many requests may count on an answer: what comes behind one that offers an upgrade Node takes for the other protocol's. */
function answerable(sent: readonly ParsedMessage[]): number {
  const upgrade = sent.findIndex(({ headers }) => headers.some(([name]) => name === "upgrade"));
  return upgrade < 0 ? sent.length : upgrade + 1;
}

/** Answers but those that only say to go on. */
function answersIn(bytes: Buffer): number {
  return parseAll(bytes, "answer").messages.filter(({ line }) => !/^HTTP\/1\.. 1/.test(line)).length;
}

function checkAnswers(answers: Buffer, requests: number): void {
  const { messages, rest } = parseAll(answers, "answer");
  assert.ok(rest === "none" || rest === "incomplete", `answers are HTTP by the letter: ${rest}`);
  const final = messages.filter(({ line }) => !/^HTTP\/1\.. 1/.test(line));
  assert.ok(final.length <= requests + 1, `${final.length} answers to ${requests} requests`);
  for (const { line } of messages) assert.doesNotMatch(line, /^HTTP\/1\.. 5(?!01|05)/, "no fault of the proxy's own");
}
