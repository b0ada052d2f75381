import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import type { HttpError } from "../../http/index.ts";

/** What each answer bears: nothing of another site in the page, the page in no other site's, and nobody guesses types. */
const securityHeaders = {
  "content-security-policy": "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
} as const;

/** The headers of an answer, with those that each one bears. */
export function withSecurity(headers: Readonly<Record<string, string | number>>): Record<string, string | number> {
  return { ...securityHeaders, ...headers };
}

/** An error in the console's envelope. */
export function answerError(response: ServerResponse, { status, code, message, headers }: HttpError): void {
  const body = JSON.stringify({ error: { code, message } });
  const fixed = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    "cache-control": "no-store",
  };
  response.writeHead(status, withSecurity({ ...fixed, ...headers }));
  response.end(body);
}
