import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { MethodDefinition } from "@grpc/grpc-js";
import protobuf from "protobufjs";
import { describe, expect, it } from "vitest";
import {
  overwriteHeader,
  type ProcessingRequest,
  type ProcessingResponse,
} from "../../../src/surface/ext-proc/processing-messages.ts";
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
    const message = process.requestDeserialize(bytesOf(golden.requests[name]));
    expect(withoutUnionNames(message)).toEqual(requests[name]);
  });

  it.each(Object.keys(golden.responses))("response %s is what we mean by it", (name) => {
    const message = process.responseDeserialize(bytesOf(golden.responses[name]));
    expect(withoutKinds(withoutUnionNames(message))).toEqual(withoutKinds(responses[name]));
  });

  it.each(Object.keys(golden.responses))(
    "response %s is written with the same bytes, in any order of fields",
    (name) => {
      const bytes = process.responseSerialize(responses[name] ?? {});
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
    const decoded = type.toObject(type.decode(process.responseSerialize(responses[name] ?? {})));
    expect(JSON.parse(JSON.stringify(decoded))).toEqual(JSON.parse(JSON.stringify(responses[name])));
  });
});
