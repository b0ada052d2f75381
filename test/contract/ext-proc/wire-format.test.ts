import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { MethodDefinition } from "@grpc/grpc-js";
import fc from "fast-check";
import protobuf from "protobufjs";
import { describe, expect, it } from "vitest";
import { BufferPool } from "../../../src/http/index.ts";
import { HeaderList } from "../../../src/surface/ext-proc/header-list.ts";
import {
  overwriteHeader,
  type ProcessingRequest,
  type ProcessingResponse,
} from "../../../src/surface/ext-proc/processing-messages.ts";
import { WireFormatError } from "../../../src/surface/ext-proc/protobuf-reader.ts";
import { decodeRequest } from "../../../src/surface/ext-proc/request-decoder.ts";
import { ResponseEncoder } from "../../../src/surface/ext-proc/response-encoder.ts";
import { loadServiceDefinitions } from "../../../src/surface/ext-proc/service-definitions.ts";

/** Bytes made by the Go implementation of the protocol; `origin` in the file names its version. */
const golden: {
  requests: Record<string, string>;
  responses: Record<string, string>;
  health: Record<string, string>;
} = JSON.parse(readFileSync(new URL("go-control-plane.json", import.meta.url), "utf8"));

const services = loadServiceDefinitions();
const process = services.externalProcessor["Process"] as MethodDefinition<ProcessingRequest, ProcessingResponse>;
const check = services.health["Check"] as MethodDefinition<object, object>;

const encoder = new ResponseEncoder(new BufferPool(0));
const bytesOf = (hex: string | undefined) => Buffer.from(hex ?? "", "hex");
const text = (value: string) => Buffer.from(value);

const requests: Record<string, object> = {
  request_headers: {
    request_headers: {
      headers: {
        headers: [
          { key: ":method", raw_value: text("POST") },
          { key: ":path", raw_value: text("/v1/chat/completions?x=1") },
          { key: "x-plain", value: "v" },
        ],
      },
      end_of_stream: true,
    },
    metadata_context: {
      filter_metadata: {
        "envoy.lb.subset_hint": {
          fields: {
            "x-gateway-destination-endpoint-subset": {
              kind: "listValue",
              listValue: {
                values: [
                  { kind: "stringValue", stringValue: "10.0.0.1:8000" },
                  { kind: "stringValue", stringValue: "[fd00::1]:8000" },
                ],
              },
            },
          },
        },
      },
    },
    protocol_config: {
      request_body_mode: 4,
      response_body_mode: 1,
      send_body_without_waiting_for_header_response: true,
    },
  },
  request_body: { request_body: { body: text("{}"), end_of_stream: true } },
  request_body_end: { request_body: { end_of_stream: true } },
  request_trailers: { request_trailers: { trailers: { headers: [{ key: "t", raw_value: text("1") }] } } },
  response_headers: {
    response_headers: { headers: { headers: [{ key: ":status", raw_value: text("200") }] } },
    metadata_context: {
      filter_metadata: {
        "envoy.lb": {
          fields: {
            "x-gateway-destination-endpoint-served": { kind: "stringValue", stringValue: "10.0.0.1:8000" },
          },
        },
      },
    },
  },
  response_body: { response_body: { body: text("data: x\n\n") } },
  response_trailers: { response_trailers: {} },
  observability: { request_body: {}, observability_mode: true },
};

const destination = "10.0.0.1:8000,[fd00::1]:8000";
const mutation = {
  set_headers: [overwriteHeader("x-gateway-destination-endpoint", destination)],
  remove_headers: ["x-dp-rank"],
};
const dynamic_metadata = {
  fields: {
    "envoy.lb": { structValue: { fields: { "x-gateway-destination-endpoint": { stringValue: destination } } } },
  },
};
const streamed = (body: string) => ({
  response: { body_mutation: { streamed_response: { body: text(body), end_of_stream: true } } },
});

const responses: Record<string, ProcessingResponse> = {
  request_headers: {
    request_headers: { response: { header_mutation: mutation, clear_route_cache: true } },
    dynamic_metadata,
  },
  request_headers_empty: { request_headers: {} },
  request_body_streamed: { request_body: streamed("{}") },
  request_body_buffered: {
    request_body: {
      response: { header_mutation: mutation, clear_route_cache: true, body_mutation: { body: text("{}") } },
    },
    dynamic_metadata,
  },
  request_trailers: { request_trailers: {} },
  response_headers: { response_headers: {} },
  response_body_streamed: { response_body: streamed("data: x\n\n") },
  response_body_empty: { response_body: {} },
  response_trailers: { response_trailers: {} },
  immediate_response: {
    immediate_response: {
      status: { code: 429 },
      headers: { set_headers: [overwriteHeader("retry-after", "1")] },
      body: text("{}"),
      details: "pointsman_saturated",
    },
  },
};

/** A message as this surface reads it: header values are raw, and what is not used is left out. */
function asRead(value: unknown): unknown {
  if (Buffer.isBuffer(value) || typeof value !== "object" || value === null) return value;
  if (value instanceof HeaderList) return { headers: value.headers };
  if (Array.isArray(value)) return value.map(asRead);
  if ("key" in value && !("raw_value" in value) && "value" in value) {
    return { key: value.key, raw_value: text(String(value.value)) };
  }
  const unused = ["trailers", "send_body_without_waiting_for_header_response", "boolValue", "nullValue"];
  const entries = Object.entries(value).filter(([key]) => !unused.includes(key));
  return Object.fromEntries(entries.map(([key, member]) => [key, asRead(member)]));
}

/** The message in the only frame that an answer makes. */
function encoded(message: ProcessingResponse): Buffer {
  const { frames, bytes } = encoder.encode([message]);
  expect([frames[0], frames.readUInt32BE(1)]).toEqual([0, bytes - 5]);
  return Buffer.from(frames.subarray(5, bytes));
}

/** Names of the set member of a union are of no use here: the member itself is there. */
function withoutUnionNames(value: unknown): unknown {
  if (Buffer.isBuffer(value) || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutUnionNames);
  const entries = Object.entries(value).filter(
    ([key, member]) => !(["request", "response", "mutation"].includes(key) && typeof member === "string"),
  );
  return Object.fromEntries(entries.map(([key, member]) => [key, withoutUnionNames(member)]));
}

function withoutKinds(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, member) => (key === "kind" ? undefined : member)));
}

describe("messages of the Go implementation", () => {
  it.each(Object.keys(golden.requests))("request %s is read", (name) => {
    expect(asRead(decodeRequest(bytesOf(golden.requests[name])))).toEqual(asRead(requests[name]));
  });

  it.each(Object.keys(golden.responses))("response %s is what we mean by it", (name) => {
    const message = process.responseDeserialize(bytesOf(golden.responses[name]));
    expect(withoutKinds(withoutUnionNames(message))).toEqual(withoutKinds(responses[name]));
  });

  it.each(Object.keys(golden.responses))(
    "response %s is written with the same bytes, in any order of fields",
    (name) => {
      const bytes = encoded(responses[name] ?? {});
      expect([...bytes].sort()).toEqual([...bytesOf(golden.responses[name])].sort());
    },
  );

  it("health is asked and answered", () => {
    expect(check.requestDeserialize(bytesOf(golden.health["check_request"]))).toEqual({ service: "readiness" });
    for (const [name, status] of [
      ["SERVING", 1],
      ["NOT_SERVING", 2],
      ["SERVICE_UNKNOWN", 3],
    ] as const) {
      expect(check.responseSerialize({ status }).toString("hex")).toBe(golden.health[`response_${name}`]);
    }
  });
});

describe("a second protobuf implementation", () => {
  const root = new protobuf.Root();
  const folder = fileURLToPath(new URL("../../../proto/", import.meta.url));
  root.resolvePath = (_origin, target) => (target.startsWith(folder) ? target : folder + target);
  root.loadSync("envoy/service/ext_proc/v3/external_processor.proto", { keepCase: true });
  const type = root.lookupType("envoy.service.ext_proc.v3.ProcessingResponse");

  it.each(Object.keys(responses))("reads our %s", (name) => {
    const decoded = type.toObject(type.decode(encoded(responses[name] ?? {})));
    expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(responses[name])));
  });

  const bytes = fc.uint8Array({ maxLength: 600 }).map((array) => Buffer.from(array));
  const name = fc.string({ unit: fc.constantFrom(..."abcdefgh-xyz:"), minLength: 1, maxLength: 300 });
  const headers = fc.record({
    headers: fc.array(fc.record({ key: name, raw_value: bytes.filter(({ length }) => length > 0) }), { minLength: 1 }),
  });
  const body = fc.record({ body: bytes.filter(({ length }) => length > 0), end_of_stream: fc.constant(true) });
  const stringValue = fc.record({ kind: fc.constant("stringValue"), stringValue: fc.string({ minLength: 1 }) });
  const listValue = fc.record({
    kind: fc.constant("listValue"),
    listValue: fc.record({ values: fc.array(stringValue, { minLength: 1, maxLength: 4 }) }),
  });
  const numberValue = fc.record({ kind: fc.constant("numberValue"), numberValue: fc.double() });
  const fields = fc.dictionary(name, fc.oneof(stringValue, listValue, numberValue), { minKeys: 1, maxKeys: 4 });
  const metadata = fc.record({
    filter_metadata: fc.dictionary(name, fc.record({ fields }), { minKeys: 1, maxKeys: 3 }),
  });
  const modes = fc.record({ request_body_mode: fc.integer({ min: 1, max: 4 }) });
  const request = fc.oneof(
    fc.record({ request_headers: fc.record({ headers, end_of_stream: fc.constant(true) }), protocol_config: modes }),
    fc.record({
      response_headers: fc.record({ headers }),
      metadata_context: metadata,
      attributes: fc.dictionary(name, fc.record({ fields }), { minKeys: 1, maxKeys: 2 }),
    }),
    fc.record({ request_body: body }),
    fc.record({ response_body: body, observability_mode: fc.constant(true) }),
  );

  it("writes any request as we read it", () => {
    fc.assert(
      fc.property(request, (message) => {
        const decoded = decodeRequest(process.requestSerialize(message as ProcessingRequest));
        expect(asRead(decoded)).toEqual(asRead(message));
      }),
    );
  });

  it("and a request with damaged bytes is refused or read, nothing else", () => {
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(request, damage, fc.nat(), (message, changes, cut) => {
        const damaged = process.requestSerialize(message as ProcessingRequest);
        for (const [at, byte] of changes) damaged[at % damaged.length] = byte;
        try {
          decodeRequest(damaged.subarray(0, damaged.length - (cut % 3)));
        } catch (error) {
          expect(error).toBeInstanceOf(WireFormatError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("reads any answer, with names and bodies of every length", () => {
    const parts = fc.array(
      fc.constantFrom(0, 1, 512, 513, 40_000).map((length) => Buffer.alloc(length, "b")),
      {
        minLength: 1,
        maxLength: 4,
      },
    );
    const anyHeaders = fc.array(fc.tuple(fc.string({ minLength: 1 }), fc.string({ minLength: 1 })), { minLength: 1 });
    fc.assert(
      fc.property(parts, anyHeaders, fc.boolean(), (pieces, set, end_of_stream) => {
        const header_mutation = { set_headers: set.map(([key, value]) => overwriteHeader(key, value)) };
        const head: ProcessingResponse = { request_headers: { response: { header_mutation } } };
        const chunk: ProcessingResponse = {
          request_body: { response: { body_mutation: { streamed_response: { body: pieces, end_of_stream } } } },
        };
        const { frames } = encoder.encode([head, chunk]);
        const headBytes = frames.readUInt32BE(1);
        const chunkBytes = frames.readUInt32BE(headBytes + 6);
        const read = (from: number, bytes: number) => type.toObject(type.decode(frames.subarray(from, from + bytes)));
        expect(read(5, headBytes)["request_headers"].response.header_mutation.set_headers).toEqual(
          header_mutation.set_headers,
        );
        const streamed = read(headBytes + 10, chunkBytes)["request_body"].response.body_mutation.streamed_response;
        expect((streamed.body ?? Buffer.alloc(0)).equals(Buffer.concat(pieces))).toBe(true);
        expect(streamed.end_of_stream === true).toBe(end_of_stream);
      }),
    );
  });
});
