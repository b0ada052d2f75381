import assert from "node:assert/strict";
import { RunningProxy } from "../../support/proxy/running-proxy.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { untilHolds } from "../framework/until-holds.ts";
import { checkForwarded } from "./http/forwarded-requests.ts";
import { answerable, checkAnswers, exchange } from "./http/raw-exchange.ts";
import { bytesOf, type ClientBytes, clientBytesTo, proxyTargets } from "./http/raw-requests.ts";
import { RawWorker } from "./http/raw-worker.ts";
import { parseAll } from "./http/strict-parser.ts";

/** Bytes that clients write to the proxy's port, and what a worker then reads. */
export const proxyHttp: FuzzTarget = {
  name: "proxy-http",
  claim: "a worker reads what a strict reader of the client's bytes reads, without routing headers",
  cases: 500,
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
    return fuzzing<ClientBytes>({ cases: clientBytesTo(proxyTargets), check, show }, () => bench.close());
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
    const answers = await exchange(this.#proxy.address, bytes, each.cuts, answerable(strict.messages));
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

  async #nothingInFlight(): Promise<void> {
    await untilHolds(
      () => this.#proxy.booked.requests === 0,
      () => "load is booked for requests that are over",
    );
  }

  async #nextWorks(): Promise<void> {
    const body = '{"model":"m","messages":[{"role":"user","content":"next"}]}';
    const head = "POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nconnection: close";
    const bytes = Buffer.from(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    const answer = await exchange(this.#proxy.address, bytes, [], 1);
    assert.match(answer.toString("latin1"), /^HTTP\/1\.1 200 /);
    await this.#nothingInFlight();
  }
}
