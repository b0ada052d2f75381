import assert from "node:assert/strict";
import { isRouting } from "./raw-requests.ts";
import type { ParsedMessage } from "./strict-parser.ts";

const ofConnection = ["te", "trailer", "upgrade", "keep-alive", "proxy-authorization", "expect", "transfer-encoding"];

/**
 * Each forwarded request is one of the client's, whole and nothing more, and none is forwarded twice. Requests of one connection reach workers
 * on several, so that their order among themselves says nothing.
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
}

/** Whether each can be another one of what was sent. */
function areOf([first, ...others]: readonly ParsedMessage[], sent: readonly ParsedMessage[]): boolean {
  if (first === undefined) return true;
  return sent.some((each, at) => isOf(first, each) && areOf(others, sent.toSpliced(at, 1)));
}

function isOf(request: ParsedMessage, sent: ParsedMessage): boolean {
  if (targetOf(sent) !== targetOf(request) || !sent.body.equals(request.body)) return false;
  const nominated = sent.headers
    .filter(([name]) => name === "connection")
    .flatMap(([, value]) => value.split(",").map((each) => each.trim().toLowerCase()));
  return sent.headers.every(
    ([name, value]) =>
      name === "connection" ||
      name === "x-request-id" ||
      !nominated.includes(name) ||
      !request.headers.some(([n, v]) => n === name && v === value),
  );
}

function targetOf({ line }: ParsedMessage): string {
  return (line.split(" ")[1] ?? "").replace(/^http:\/\/[^/]*/, "").replace(/#.*/, "");
}
