import assert from "node:assert/strict";
import { isJson } from "../../../support/is-json.ts";
import { isRouting } from "./raw-requests.ts";
import type { ParsedMessage } from "./strict-parser.ts";

const ofConnection = ["te", "trailer", "upgrade", "keep-alive", "proxy-authorization", "expect", "transfer-encoding"];
/** What the proxy writes itself. */
const ofProxy = ["connection", "host", "content-length", "x-request-id"];
/** Lines that nobody refuses a request for. */
const harmless = [
  ...["host", "content-type", "content-length", "transfer-encoding", "accept", "user-agent", "cookie", "via"],
  ...["x-anything", "x-tenant-id", "x-session-id", "x-request-id", "forwarded", "x-forwarded-for", "baggage"],
];
const mostHarmlessBytes = 4_000;

/**
 * Each forwarded request is one of the client's, whole and nothing more, and none is forwarded twice. Requests of one connection reach workers
 * on several, so that their order among themselves says nothing. The first of a connection is forwarded when nothing speaks against it.
 */
export function checkForwarded(sent: readonly ParsedMessage[], seen: readonly ParsedMessage[], rest: string): void {
  for (const request of seen) {
    for (const [name] of request.headers) {
      assert.ok(!isRouting(name), `a routing header reached a worker: ${name}`);
      assert.ok(!ofConnection.includes(name), `a header of the connection reached a worker: ${name}`);
    }
  }
  const shown = () => seen.map(({ line, body }) => `${line} ${body.subarray(0, 80)}`).join("\n");
  assert.ok(areOf(seen, sent), `a worker got what no client sent (${rest}): ${shown()}`);
  const [first] = sent;
  if (first === undefined || rest !== "none" || !isPlain(first)) return;
  assert.ok(
    seen.some((request) => isOf(request, first)),
    `a plain request did not reach the worker: ${shown()}`,
  );
}

/** Whether it is a chat as every client sends it. */
function isPlain({ line, headers, body }: ParsedMessage): boolean {
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  const isUsual = line === "POST /v1/chat/completions HTTP/1.1" && bytes <= mostHarmlessBytes;
  return isUsual && headers.every(([name]) => harmless.includes(name) || isRouting(name)) && isJson(body.toString());
}

/** Whether each can be another one of what was sent. */
function areOf([first, ...others]: readonly ParsedMessage[], sent: readonly ParsedMessage[]): boolean {
  if (first === undefined) return true;
  return sent.some((each, at) => isOf(first, each) && areOf(others, sent.toSpliced(at, 1)));
}

function isOf(request: ParsedMessage, sent: ParsedMessage): boolean {
  if (methodOf(sent) !== methodOf(request) || targetOf(sent) !== targetOf(request)) return false;
  if (!sent.body.equals(request.body)) return false;
  const nominated = sent.headers
    .filter(([name]) => name === "connection")
    .flatMap(([, value]) => value.split(",").map((each) => each.trim().toLowerCase()));
  return sent.headers.every(([name, value]) => {
    if (ofProxy.includes(name) || ofConnection.includes(name) || isRouting(name)) return true;
    const isThere = request.headers.some(([n, v]) => n === name && v === value);
    return nominated.includes(name) ? !isThere : isThere;
  });
}

function methodOf({ line }: ParsedMessage): string {
  return line.split(" ")[0] ?? "";
}

function targetOf({ line }: ParsedMessage): string {
  return (line.split(" ")[1] ?? "").replace(/^http:\/\/[^/]*/, "").replace(/#.*/, "");
}
