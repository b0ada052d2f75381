import {
  anyObjectShape,
  listShape,
  mapShape,
  may,
  must,
  objectShape,
  type Shape,
  textShape,
} from "../../http/index.ts";
import { JsonObject, type JsonValue } from "../../json/index.ts";
import type { RequestHeaders, RouteRequest } from "../../router/index.ts";
import type { RequestBounds } from "./options.ts";

/** A client's own request, as a caller passes it on. */
export interface ClientRequest {
  readonly path: string | undefined;
  readonly headers: ReadonlyMap<string, readonly string[]>;
  /** The object in the caller's body, or the exact text. */
  readonly body: JsonObject | string;
}

const pathShape = textShape(8_192);
const headerValue = textShape(16_384);

/** Longest text of a client's body, in characters; the body's own bound is below it. */
const maxBodyText = 1 << 30;

/** The field `request`. */
export function clientRequestShape({ maxListItems }: RequestBounds): Shape<ClientRequest> {
  const values = eitherShape(headerValue, listShape(headerValue, maxListItems));
  const shape = objectShape(
    {
      path: may(
        pathShape,
        "Path and query as the client sent them; they name the API. Absent = the body's shape does.",
      ),
      headers: may(mapShape(values, maxListItems), "The client's headers; several values as a list."),
      body: must(
        eitherShape(textShape(maxBodyText), anyObjectShape),
        "The client's body: as an object, or its exact text as a string.",
      ),
    },
    "refuse",
  );
  return {
    schema: shape.schema,
    read: (value, duplicates) => {
      const fields = shape.read(value, duplicates);
      const headers = [...(fields.headers ?? [])].map(([key, given]): [string, readonly string[]] => [
        key.toLowerCase(),
        typeof given === "string" ? [given] : given,
      ]);
      return { path: fields.path, headers: new Map(headers), body: fields.body };
    },
  };
}

function eitherShape<B>(text: Shape<string>, other: Shape<B>): Shape<string | B> {
  return {
    schema: { anyOf: [text.schema, other.schema] },
    read: (value: JsonValue, duplicates): string | B =>
      typeof value === "string" ? text.read(value, duplicates) : other.read(value, duplicates),
  };
}

/**
 * The request as the router takes it.
 * @param source the client's body, where it was lifted; else what the caller's body was parsed from: the client's body is a part of it, not a copy
 */
export function routeRequestOf(
  { path, headers, body }: ClientRequest,
  { clientBody, rest }: { readonly clientBody: Buffer | undefined; readonly rest: Buffer },
  trustClient: boolean,
): RouteRequest {
  return {
    path,
    headers: headersOf(headers),
    body: body instanceof JsonObject ? (clientBody ?? rest.subarray(body.start, body.end)) : Buffer.from(body, "utf8"),
    subset: undefined,
    requestedEndpoints: undefined,
    trustClient,
  };
}

function headersOf(headers: ReadonlyMap<string, readonly string[]>): RequestHeaders {
  return {
    get: (name) => headers.get(name)?.[0],
    getAll: (name) => headers.get(name) ?? [],
  };
}
