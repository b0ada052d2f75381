import type { Buffer } from "node:buffer";
import { HeaderList } from "./header-list.ts";
import type {
  HttpBody,
  HttpHeaders,
  HttpTrailers,
  MetadataContext,
  ProcessingRequest,
  ProtocolConfiguration,
  Struct,
  StructValue,
} from "./processing-messages.ts";
import { ProtobufReader, WireFormatError } from "./protobuf-reader.ts";

/** Lists and structs that may lie in one another in metadata. */
const MAX_STRUCT_DEPTH = 32;

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * A message of the gateway. Bodies are views of `bytes`; whatever else is kept is copied. By hand instead of protobufjs: bench/ext-proc.
 * Source: proto/envoy/service/ext_proc/v3/external_processor.proto.
 * @throws WireFormatError
 */
export function decodeRequest(bytes: Buffer): ProcessingRequest {
  const reader = new ProtobufReader(bytes);
  const message: Writable<ProcessingRequest> = {};
  while (reader.next()) {
    switch (reader.field) {
      case 2:
        message.request_headers = httpHeaders(reader.message());
        break;
      case 3:
        message.response_headers = httpHeaders(reader.message());
        break;
      case 4:
        message.request_body = httpBody(reader.message());
        break;
      case 5:
        message.response_body = httpBody(reader.message());
        break;
      case 6:
        message.request_trailers = httpTrailers(reader.message());
        break;
      case 7:
        message.response_trailers = httpTrailers(reader.message());
        break;
      case 8:
        message.metadata_context = metadataContext(reader.message());
        break;
      case 9:
        message.attributes ??= Object.create(null) as Record<string, Struct>;
        addStruct(message.attributes as Record<string, Struct>, reader.message());
        break;
      case 10:
        message.observability_mode = reader.bool();
        break;
      case 11:
        message.protocol_config = protocolConfiguration(reader.message());
        break;
    }
  }
  return message;
}

function httpHeaders(reader: ProtobufReader): HttpHeaders {
  const message: Writable<HttpHeaders> = {};
  while (reader.next()) {
    if (reader.field === 1) message.headers = HeaderList.read(reader.message());
    else if (reader.field === 3) message.end_of_stream = reader.bool();
  }
  return message;
}

function httpBody(reader: ProtobufReader): HttpBody {
  const message: Writable<HttpBody> = {};
  while (reader.next()) {
    if (reader.field === 1) message.body = reader.view();
    else if (reader.field === 2) message.end_of_stream = reader.bool();
  }
  return message;
}

/** What trailers say is not used. */
function httpTrailers(reader: ProtobufReader): HttpTrailers {
  while (reader.next());
  return {};
}

function protocolConfiguration(reader: ProtobufReader): ProtocolConfiguration {
  const message: Writable<ProtocolConfiguration> = {};
  while (reader.next()) {
    if (reader.field === 1) message.request_body_mode = reader.uint32();
    else if (reader.field === 2) message.response_body_mode = reader.uint32();
  }
  return message;
}

function metadataContext(reader: ProtobufReader): MetadataContext {
  const filter_metadata: Record<string, Struct> = Object.create(null);
  while (reader.next()) {
    if (reader.field === 1) addStruct(filter_metadata, reader.message());
  }
  return { filter_metadata };
}

function addStruct(structs: Record<string, Struct>, reader: ProtobufReader): void {
  const { key, value } = mapEntry(reader);
  structs[key] = value === undefined ? {} : struct(value, 0);
}

function struct(reader: ProtobufReader, depth: number): Struct {
  const fields: Record<string, StructValue> = Object.create(null);
  while (reader.next()) {
    if (reader.field !== 1) continue;
    const { key, value } = mapEntry(reader.message());
    fields[key] = value === undefined ? {} : structValue(value, depth + 1);
  }
  return { fields };
}

function structValue(reader: ProtobufReader, depth: number): StructValue {
  if (depth > MAX_STRUCT_DEPTH) throw new WireFormatError("metadata lies too deep");
  let value: StructValue = {};
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        value = { kind: "nullValue" };
        break;
      case 2:
        value = { kind: "numberValue", numberValue: reader.double() };
        break;
      case 3:
        value = { kind: "stringValue", stringValue: reader.text() };
        break;
      case 4:
        value = { kind: "boolValue" };
        break;
      case 5:
        value = { kind: "structValue", structValue: struct(reader.message(), depth) };
        break;
      case 6:
        value = { kind: "listValue", listValue: { values: listValues(reader.message(), depth) } };
        break;
    }
  }
  return value;
}

function listValues(reader: ProtobufReader, depth: number): StructValue[] {
  const values: StructValue[] = [];
  while (reader.next()) {
    if (reader.field === 1) values.push(structValue(reader.message(), depth + 1));
  }
  return values;
}

function mapEntry(reader: ProtobufReader): { readonly key: string; readonly value: ProtobufReader | undefined } {
  let key = "";
  let value: ProtobufReader | undefined;
  while (reader.next()) {
    if (reader.field === 1) key = reader.text();
    else if (reader.field === 2) value = reader.message();
  }
  return { key, value };
}
