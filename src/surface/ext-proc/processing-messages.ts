/**
 * Envoy's ext_proc messages: fields that were not on the wire are absent.
 * Source: proto/envoy/service/ext_proc/v3/external_processor.proto.
 */
export interface ProcessingRequest {
  /* At most one of the next six; none in a message of a newer protocol. */
  readonly request_headers?: HttpHeaders;
  readonly request_body?: HttpBody;
  readonly request_trailers?: HttpTrailers;
  readonly response_headers?: HttpHeaders;
  readonly response_body?: HttpBody;
  readonly response_trailers?: HttpTrailers;
  readonly metadata_context?: MetadataContext;
  /** What the filter was configured to send, by the filter's name. */
  readonly attributes?: Readonly<Record<string, Struct>>;
  readonly observability_mode?: boolean;
  readonly protocol_config?: ProtocolConfiguration;
}

/** Only the first message of a stream carries it, and only since Envoy 1.32; absent members are 0. */
export interface ProtocolConfiguration {
  readonly request_body_mode?: number;
  readonly response_body_mode?: number;
}

export interface HttpHeaders {
  readonly headers?: HeaderMap;
  readonly end_of_stream?: boolean;
}

export interface HttpBody {
  readonly body?: Buffer;
  readonly end_of_stream?: boolean;
}

export interface HttpTrailers {
  readonly trailers?: HeaderMap;
}

export interface HeaderMap {
  readonly headers?: readonly HeaderValue[];
}

/** Envoy fills `raw_value`; `value` is what other gateways may still send. */
export interface HeaderValue {
  readonly key?: string;
  readonly value?: string;
  readonly raw_value?: Buffer;
}

export interface MetadataContext {
  readonly filter_metadata?: Readonly<Record<string, Struct>>;
}

/** google.protobuf.Struct. */
export interface Struct {
  readonly fields?: Readonly<Record<string, StructValue>>;
}

export interface StructValue {
  readonly stringValue?: string;
  readonly numberValue?: number;
  readonly structValue?: Struct;
  readonly listValue?: { readonly values?: readonly StructValue[] };
  /** Name of the member that is set; output ignores it. */
  readonly kind?: string;
}

export interface ProcessingResponse {
  readonly request_headers?: HeadersResponse;
  readonly request_body?: BodyResponse;
  readonly request_trailers?: TrailersResponse;
  readonly response_headers?: HeadersResponse;
  readonly response_body?: BodyResponse;
  readonly response_trailers?: TrailersResponse;
  readonly immediate_response?: ImmediateResponse;
  readonly dynamic_metadata?: Struct;
}

export interface HeadersResponse {
  readonly response?: CommonResponse;
}

export interface BodyResponse {
  readonly response?: CommonResponse;
}

export type TrailersResponse = Readonly<Record<string, never>>;

export interface CommonResponse {
  readonly header_mutation?: HeaderMutation;
  readonly body_mutation?: BodyMutation;
  readonly clear_route_cache?: boolean;
}

export interface HeaderMutation {
  readonly set_headers?: readonly HeaderValueOption[];
  readonly remove_headers?: readonly string[];
}

export interface HeaderValueOption {
  readonly header: { readonly key: string; readonly raw_value: Buffer };
  readonly append_action: number;
}

/** Bytes, or parts that are sent as one. They must not change before the message was written. */
export type BodyBytes = Buffer | readonly Buffer[];

export type BodyMutation =
  | { readonly body: BodyBytes }
  | { readonly streamed_response: { readonly body: BodyBytes; readonly end_of_stream: boolean } };

export interface ImmediateResponse {
  readonly status: { readonly code: number };
  readonly headers: HeaderMutation;
  readonly body: Buffer;
  readonly details: string;
}

/** A header to set, replacing what is there. Envoy reads `raw_value` only. */
export function overwriteHeader(key: string, value: string): HeaderValueOption {
  return { header: { key, raw_value: Buffer.from(value) }, append_action: OVERWRITE_IF_EXISTS_OR_ADD };
}

const OVERWRITE_IF_EXISTS_OR_ADD = 2;
