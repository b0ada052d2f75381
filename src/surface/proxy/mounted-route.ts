import type { IncomingMessage } from "node:http";
import type { HttpError } from "../../http/index.ts";

/** Request headers by lower-case name. */
interface MountedHeaders {
  get(lowerName: string): string | undefined;
  getAll(lowerName: string): readonly string[];
}

/** One request to a mounted route. */
export interface MountedExchange {
  readonly request: IncomingMessage;
  readonly headers: MountedHeaders;
  readonly requestId: string;
  /** Whether the models are loaded. */
  readonly isReady: boolean;
  /** Aborted when the client has left, or the process ends. */
  readonly signal: AbortSignal;
  /** To be called before the body is read: a client may wait for that. */
  willRead(): void;
  /** Called once, unless nobody waits any more. @param lines names and values in turn. @param body JSON */
  answer(status: number, lines: readonly string[], body: string): void;
}

/** A route behind the proxy's door that answers by itself, in the words of an API of its own. */
export interface MountedRoute {
  readonly method: string;
  readonly path: string;
  /** What the OpenAPI document says of it: an operation object. */
  readonly operation: object;
  /** Id of a request, sent back as `x-request-id`. */
  requestIdOf(headers: MountedHeaders): string;
  /** Names and values of the lines that every answer has. */
  linesOf(requestId: string): readonly string[];
  /** The body of an error of the door's, JSON. */
  errorJson(error: HttpError): string;
  /** Reads the body and answers; never throws. */
  receive(exchange: MountedExchange): void;
}
