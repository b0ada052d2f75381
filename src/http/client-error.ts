import type { Socket } from "node:net";
import { HttpError } from "./error-answer.ts";

/** Why Node's parser gave up on what a client sent. @param code of its error */
export function clientError(code: string | undefined): HttpError {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return new HttpError(408, "request_timeout", "the request came too slowly");
  if (code === "HPE_HEADER_OVERFLOW") return new HttpError(431, "headers_too_large", "the headers are too long");
  return new HttpError(400, "invalid_request", "this is no HTTP request");
}

/** Answers what there is no request object for, and ends the connection. @param body JSON */
export function answerBare(socket: Socket, status: number, body: string): void {
  const head = [`HTTP/1.1 ${status} ${reasons[status] ?? "Bad Request"}`, "content-type: application/json"];
  head.push(`content-length: ${Buffer.byteLength(body)}`, "connection: close");
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  431: "Request Header Fields Too Large",
};
