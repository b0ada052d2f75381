import type {
  BodyBytes,
  ProcessingRequest,
  ProcessingResponse,
} from "../../../../src/surface/ext-proc/processing-messages.ts";

/** Envoy's numbers of body modes. */
export const NONE = 0;
export const STREAMED = 1;
export const BUFFERED = 2;
export const BUFFERED_PARTIAL = 3;
export const FULL_DUPLEX = 4;

type Headers = Readonly<Record<string, string>>;

const chatHeaders: Headers = { ":method": "POST", ":path": "/v1/chat/completions", "x-request-id": "r1" };

export function headerMap(headers: Headers) {
  return { headers: Object.entries(headers).map(([key, value]) => ({ key, raw_value: Buffer.from(value) })) };
}

export interface RequestHeadersOptions {
  readonly headers?: Headers;
  readonly isEnd?: boolean;
  readonly requestMode?: number;
  readonly responseMode?: number;
}

/** The first message of a stream, as Envoy sends it. */
export function requestHeaders(options: RequestHeadersOptions = {}): ProcessingRequest {
  const { headers = {}, isEnd = false, requestMode = FULL_DUPLEX, responseMode = FULL_DUPLEX } = options;
  return {
    request_headers: { headers: headerMap({ ...chatHeaders, ...headers }), end_of_stream: isEnd },
    protocol_config: { request_body_mode: requestMode, response_body_mode: responseMode },
  };
}

export function requestBody(body: string | Buffer, isEnd = false): ProcessingRequest {
  return { request_body: { body: Buffer.from(body), end_of_stream: isEnd } };
}

export const requestTrailers: ProcessingRequest = { request_trailers: { trailers: headerMap({ t: "1" }) } };

export function responseHeaders(headers: Headers = {}, isEnd = false): ProcessingRequest {
  const all = { ":status": "200", "content-type": "application/json", ...headers };
  return { response_headers: { headers: headerMap(all), end_of_stream: isEnd } };
}

export function responseBody(body: string | Buffer, isEnd = false): ProcessingRequest {
  return { response_body: { body: Buffer.from(body), end_of_stream: isEnd } };
}

export const responseTrailers: ProcessingRequest = { response_trailers: {} };

/** Headers set by an answer, whichever kind it is. */
export function setHeaders(answer: ProcessingResponse | undefined): Record<string, string> {
  const mutation =
    answer?.request_headers?.response?.header_mutation ??
    answer?.request_body?.response?.header_mutation ??
    answer?.response_headers?.response?.header_mutation ??
    answer?.immediate_response?.headers;
  return Object.fromEntries(
    (mutation?.set_headers ?? []).map(({ header }) => [header.key, Buffer.from(header.raw_value).toString()]),
  );
}

export function removedHeaders(answer: ProcessingResponse | undefined): readonly string[] {
  const mutation =
    answer?.request_headers?.response?.header_mutation ?? answer?.request_body?.response?.header_mutation;
  return mutation?.remove_headers ?? [];
}

/** One line per answer: kind, length of the body it carries, and whether it ends the body. */
export function shapes(answers: readonly ProcessingResponse[]): readonly string[] {
  return answers.map((answer) => {
    const kind = Object.keys(answer).find((key) => key !== "dynamic_metadata") ?? "nothing";
    const mutation = (answer.request_body ?? answer.response_body)?.response?.body_mutation;
    if (mutation === undefined) return kind;
    if ("body" in mutation) return `${kind} ${bytesOf(mutation.body).length} whole`;
    const { body, end_of_stream: isEnd } = mutation.streamed_response;
    return `${kind} ${bytesOf(body).length}${isEnd ? " end" : ""}`;
  });
}

/** Bytes of a body that may be in parts; absent on the wire when it is empty. */
export function bytesOf(body: BodyBytes | undefined): Buffer {
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.isBuffer(body) ? body : Buffer.concat(body);
}

/** Bytes of the streamed bodies of all answers of a kind. */
export function streamedBody(answers: readonly ProcessingResponse[], kind: "request_body" | "response_body"): Buffer {
  return Buffer.concat(
    answers.flatMap((answer) => {
      const mutation = answer[kind]?.response?.body_mutation;
      return mutation !== undefined && "streamed_response" in mutation
        ? [bytesOf(mutation.streamed_response.body)]
        : [];
    }),
  );
}

/** The error object of an immediate response. */
export function errorOf(answer: ProcessingResponse | undefined): Record<string, unknown> {
  const body = answer?.immediate_response?.body;
  if (body === undefined) throw new Error("no immediate response");
  return JSON.parse(body.toString()).error;
}
