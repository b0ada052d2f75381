import type { IncomingMessage } from "node:http";
import { HttpError, type HttpErrorCode } from "./error-answer.ts";

/**
 * What is wrong with a request that Node's parser takes and another server could read otherwise: transfer codings besides chunks, of which the
 * body would go on encoded and without a word about it, chunks in HTTP/1.0, no host or two, versions of HTTP that the connection does not
 * speak, and expectations besides that of an invitation, after which nobody knows whether the body comes. Undefined = nothing.
 */
export function framingError(request: IncomingMessage): HttpError | undefined {
  const { httpVersionMajor, httpVersion, headers, rawHeaders } = request;
  if (httpVersionMajor !== 1) {
    return refusal(505, "not_implemented", `HTTP/${httpVersion} is not spoken on this connection`);
  }
  const coding = headers["transfer-encoding"];
  if (coding !== undefined && coding.toLowerCase() !== "chunked") {
    // Without chunks the end of such a body is not known either.
    if (!/,\s*chunked$/i.test(coding)) return refusal(400, "invalid_request", "the end of the body is not known");
    return refusal(501, "not_implemented", "no transfer coding besides chunked is read");
  }
  if (coding !== undefined && httpVersion === "1.0") return refusal(400, "invalid_request", "HTTP/1.0 has no chunks");
  const hosts = hostsIn(rawHeaders);
  const isOne = hosts === 1 || (hosts === 0 && httpVersion === "1.0");
  if (!isOne) return refusal(400, "invalid_request", "a request names one host");
  // HTTP/1.0 knows no expectations, and passes over them.
  if (headers.expect === undefined || httpVersion === "1.0" || invitations.test(headers.expect)) return undefined;
  return refusal(417, "invalid_request", "no expectation besides 100-continue is met");
}

const invitations = /^100-continue(\s*,\s*100-continue)*$/i;

function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === "host".length && name.toLowerCase() === "host") hosts++;
  }
  return hosts;
}

function refusal(status: number, code: HttpErrorCode, message: string): HttpError {
  return new HttpError(status, code, message, { connection: "close" });
}
