import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { RequestRecord } from "../../../src/sim-worker/index.ts";
import { post } from "../support/client.ts";
import type { EnvoyKind } from "../support/envoy-config.ts";
import type { Gateway } from "../support/gateway.ts";
import { engineModel, injectedModel } from "../support/picker-settings.ts";
import { proseOfBytes } from "../support/prompts.ts";
import { RawExchange } from "../support/raw-http.ts";
import { arrivalsOf, recordOf, sha256 } from "../support/worker-records.ts";
import type { GatewayOf } from "./describe-on.ts";

const chatPath = "/v1/chat/completions";
const mebibyte = 1_048_576;

/** A chat request of exactly `bytes` bytes. */
function sized(model: string, bytes: number): Buffer {
  const [head, tail] = [`{"model":"${model}","max_tokens":1,"messages":[{"role":"user","content":"`, '"}]}'];
  return Buffer.from(`${head}${proseOfBytes(7, bytes - head.length - tail.length)}${tail}`);
}

/** A chat request of exactly `bytes` bytes, most of them in a member that is no part of the prompt. */
function padded(model: string, bytes: number): Buffer {
  const head = `{"model":"${model}","max_tokens":1,"messages":[{"role":"user","content":"Hi"}],"metadata":{"pad":"`;
  const tail = '"}}';
  return Buffer.from(`${head}${"A".repeat(bytes - head.length - tail.length)}${tail}`);
}

/** Sends a request with a trailer and returns what came of it. */
async function sendTrailers(gateway: Gateway, model: string): Promise<{ status: number; record: RequestRecord }> {
  const exchange = await RawExchange.open(gateway.ports.gateway);
  const requestId = randomUUID();
  const headers = { "transfer-encoding": "chunked", trailer: "x-checksum", "x-request-id": requestId };
  exchange.head("POST", chatPath, headers).chunk(sized(model, 300)).lastChunk({ "x-checksum": "abc" });
  const { status } = await exchange.response();
  exchange.abort();
  return { status, record: recordOf(gateway, requestId).record };
}

/** Trailers of requests, where Envoy passes them on. */
export function testsOfTrailers(gateway: GatewayOf, kind: EnvoyKind): void {
  describe("trailers", () => {
    it("arrive behind the body where nothing is injected", async () => {
      const { status, record } = await sendTrailers(gateway(), engineModel);
      expect([status, record.bodySha256]).toEqual([200, sha256(sized(engineModel, 300))]);
      expect(record.trailers).toEqual([["x-checksum", "abc"]]);
    });

    it("do not disturb the injected tokens", async () => {
      const { status, record } = await sendTrailers(gateway(), injectedModel);
      expect([status, record.tokenSource]).toEqual([200, "token_data"]);
      // Buffered mode needs a content-length for a changed body, and HTTP/1 has trailers only without one.
      expect(record.trailers).toEqual(kind.bodies === "buffered" ? [] : [["x-checksum", "abc"]]);
    });
  });
}

/** Bodies arrive as they were sent, but for the injected tokens. */
export function testsOfBodies(gateway: GatewayOf, kind: EnvoyKind): void {
  describe("bodies", () => {
    it.each([
      { name: "1 KB of text", body: () => sized(engineModel, 1_000) },
      { name: "1 MB of text", body: () => sized(engineModel, mebibyte) },
      { name: "20 MB, a short prompt in it", body: () => padded(engineModel, 20 * mebibyte) },
    ])("$name arrives byte for byte where nothing is injected", async ({ body }) => {
      const sent = body();
      const answer = await post(gateway(), chatPath, sent);
      expect(answer.status).toBe(200);
      const { record } = recordOf(gateway(), answer.requestId);
      expect([record.bodyBytes, record.bodySha256]).toEqual([sent.length, sha256(sent)]);
    });

    it.each([
      { name: "compact", body: sized(injectedModel, 1_000).toString() },
      { name: "1 MB", body: sized(injectedModel, mebibyte).toString() },
      {
        name: "oddly written",
        body: `\r\n{ "temperature":1.0 ,\t"seed" : 9007199254740993, "messages" : [ {"content":"h\\u00e9llo \\/","role":"user"} ],
  "metadata":{"b":"1","a":"2"},"max_tokens":1, "model":"${injectedModel}"  }\n`,
      },
    ])("a $name body keeps every byte around the injected tokens", async ({ body }) => {
      const answer = await post(gateway(), chatPath, body);
      expect(answer.status).toBe(200);
      const { record } = recordOf(gateway(), answer.requestId);
      const pick = await gateway().picker.pickOf(answer.requestId);
      const received = Buffer.from(record.bodyHeadBase64, "base64").toString();
      expect(Buffer.byteLength(received)).toBe(record.bodyBytes);
      const [insertion = "", ids = ""] = /,?\s*"nvext":\{"token_data":\[([\d,]*)\]\},?/.exec(received) ?? [];
      expect(ids.split(",").length).toBe(pick.promptTokens);
      expect(received.replace(insertion, "")).toBe(body);
    });

    it("keeps a client's own nvext and adds only the tokens", async () => {
      const nvext = '{"annotations":["a"],  "greed_sampling" : true}';
      const body = `{"nvext":${nvext},"model":"${injectedModel}","max_tokens":1,"messages":[{"role":"user","content":"Hi"}]}`;
      const answer = await post(gateway(), chatPath, body);
      expect(answer.status).toBe(200);
      const received = Buffer.from(recordOf(gateway(), answer.requestId).record.bodyHeadBase64, "base64").toString();
      expect(received.replace(/,?"token_data":\[[\d,]+\],?/, "")).toBe(body);
    });

    it("takes a chunked body", async () => {
      const exchange = await RawExchange.open(gateway().ports.gateway);
      const headers = {
        "transfer-encoding": "chunked",
        "content-type": "application/json",
        "x-request-id": "chunked-1",
      };
      exchange.head("POST", chatPath, headers);
      for (const byte of sized(injectedModel, 300)
        .toString()
        .match(/.{1,50}/gs) ?? [])
        exchange.chunk(byte);
      const response = await exchange.lastChunk().response();
      exchange.abort();
      expect(response.status).toBe(200);
      expect(recordOf(gateway(), "chunked-1").record.tokenSource).toBe("token_data");
    });

    it("takes a body with trailers, which Envoy drops unless it is told to pass them on", async () => {
      const { status, record } = await sendTrailers(gateway(), injectedModel);
      expect([status, record.tokenSource, record.trailers]).toEqual([200, "token_data", []]);
    });

    it("refuses a body over the limit with 413", async () => {
      const answer = await post(gateway(), chatPath, padded(engineModel, 33 * mebibyte));
      expect(answer.status).toBe(413);
      // In buffered mode Envoy answers before the picker sees a body.
      if (kind.bodies === "full-duplex") expect(JSON.parse(answer.body)).toHaveProperty("error.message");
      expect(arrivalsOf(gateway(), answer.requestId)).toEqual([]);
    });
  });
}
