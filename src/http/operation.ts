import type { Buffer } from "node:buffer";
import type { IncomingHttpHeaders } from "node:http";
import type { JsonSchema } from "./json-schema.ts";

export type HttpMethod = "GET" | "POST" | "PATCH" | "DELETE";

/** One request, with its body read. */
export interface HttpCall {
  /** Parts of the path in braces, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** Empty for operations without a body. Its memory is used again once the operation has answered. */
  readonly body: Buffer;
  /** Says that something may look at the body after the answer: its memory is not used again. */
  keepBody(): void;
  /** Whether the caller may see what needs a token: it gave one, or none is configured. */
  readonly isAuthorized: boolean;
  /** Aborted when the client leaves before its answer. */
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  /** JSON text; parts of it for an answer that is made while it is sent. */
  readonly body: string | Buffer | AsyncIterable<string>;
  /** Beside content type and length; lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What an answer of one status is, for the document. */
export interface AnswerDescription {
  readonly description: string;
  readonly schema?: JsonSchema;
}

/** A parameter in the path or the query, for the document. */
export interface ParameterDescription {
  readonly name: string;
  readonly in: "path" | "query";
  readonly description: string;
  readonly schema: JsonSchema;
}

/** One method on one path: how it is served, and what the OpenAPI document says of it. */
export interface Operation {
  readonly method: HttpMethod;
  /** Parts in braces are parameters: `/workers/{worker_id}`. */
  readonly path: string;
  /** Unique; names the operation in the document and in metrics. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** `open` is answered without a token as well. */
  readonly access: "open" | "token";
  readonly parameters?: readonly ParameterDescription[];
  /** Schema of the JSON body; absent = the operation takes none, and what comes is not looked at. */
  readonly body?: JsonSchema;
  readonly answers: Readonly<Record<number, AnswerDescription>>;
  /** What it throws becomes an error answer. */
  handle(call: HttpCall): HttpAnswer | Promise<HttpAnswer>;
}

/** A JSON answer. */
export function jsonAnswer(
  status: number,
  body: HttpAnswer["body"],
  headers?: Readonly<Record<string, string>>,
): HttpAnswer {
  return headers === undefined ? { status, body } : { status, body, headers };
}
