import assert from "node:assert/strict";
import type { HttpListener } from "../../../src/http/index.ts";
import { type FuzzTarget, fuzzing } from "../framework/fuzz-target.ts";
import { type Echo, maxBodyBytes, startEchoApi } from "./http/echo-api.ts";
import { plainQuery } from "./http/plain-query.ts";
import { answerable, checkAnswers, exchange, finalAnswers } from "./http/raw-exchange.ts";
import { bytesOf, type ClientBytes, clientBytesTo, type RequestTargets } from "./http/raw-requests.ts";
import { type ParsedMessage, parseAll } from "./http/strict-parser.ts";

const targets: RequestTargets = {
  usual: [
    ...[
      "POST /route",
      "POST /route",
      "POST /route?a=b",
      "POST /Route",
      "POST /reservations/r1/renew",
      "DELETE /reservations/a%20b",
    ],
    ...[
      "GET /decisions?limit=5&request_id=x",
      "GET /decisions?limit=5&limit=6",
      "GET /decisions?%6cimit=7&a+b=%C3%A9",
      "GET /decisions",
    ],
  ],
  odd: [
    ...[
      "/route",
      "/route?a=%zz&=&b",
      "/route#c",
      "http://other.host/route?x=1",
      "//route",
      "/route/",
      "/ROUTE",
      "/route;a=1",
      "*",
    ],
    ...[
      "/reservations//renew",
      "/reservations/%2f/renew",
      "/reservations/%/renew",
      "/reservations/%ff/renew",
      "/reservations/../route",
    ],
    ...[
      `/reservations/${"r".repeat(1_100)}`,
      "/decisions?limit=\x80",
      "/decisions?limit=%F0%9F%98%80&x=%ff+%",
      "/decisions?&&a==b",
      "/nothing",
    ],
  ],
};

/** Bytes that callers write to the port of the route API, and what its operations are then asked. */
export const routeHttp: FuzzTarget = {
  name: "route-http",
  claim: "an operation is asked what a strict reader of the caller's bytes reads, and its answer is in its place",
  cases: 400,
  async open() {
    const errors: object[] = [];
    const api = await startEchoApi(errors);
    const check = (each: ClientBytes) => checkCalls(api, errors, each);
    const show = (each: ClientBytes) => JSON.stringify(bytesOf(each).toString("latin1"));
    return fuzzing<ClientBytes>({ cases: clientBytesTo(targets), check, show }, () => api.close(0));
  },
};

async function checkCalls(api: HttpListener, errors: object[], each: ClientBytes): Promise<void> {
  const bytes = bytesOf(each);
  const strict = parseAll(bytes, "request");
  const answers = await exchange(api.address, bytes, each.cuts, answerable(strict.messages));
  checkAnswers(answers, strict.messages.length);
  assert.deepEqual(errors.splice(0), [], "nothing fails");
  for (const [i, answer] of finalAnswers(answers).entries()) {
    const request = strict.messages[i];
    const echo = answer.line.startsWith("HTTP/1.1 200 ") ? (JSON.parse(answer.body.toString()) as Echo) : undefined;
    assert.ok(JSON.parse(answer.body.length === 0 ? "{}" : answer.body.toString()) !== null);
    // One that takes no body is answered before it is seen that its body is none.
    const isOfHead = i === strict.messages.length && echo?.id !== "route";
    if (echo !== undefined && !isOfHead) assert.ok(request !== undefined, `asked what no caller sent (${strict.rest})`);
    if (request !== undefined && i < answerable(strict.messages)) checkCall(request, echo, answer);
  }
}

function checkCall(request: ParsedMessage, echo: Echo | undefined, answer: ParsedMessage): void {
  const called = callOf(request);
  if (echo === undefined) {
    if (called !== undefined && isPlain(request)) assert.fail(`a plain call is refused: ${answer.line} ${answer.body}`);
    return;
  }
  assert.ok(called !== undefined, `a call of nothing is taken: ${request.line}`);
  assert.deepEqual({ id: echo.id, params: echo.params }, { id: called.id, params: called.params });
  const query = new Map([...echo.query].reverse());
  assert.deepEqual(new Map([...query].sort()), new Map([...called.query].sort()), "the query");
  assert.equal(echo.body, called.id === "route" ? request.body.toString("hex") : "", "the body");
}

interface Call {
  readonly id: string;
  readonly params: Readonly<Record<string, string>>;
  readonly query: ReadonlyMap<string, string>;
}

/** The operation that a request line is of; undefined = none. */
function callOf({ line }: ParsedMessage): Call | undefined {
  const [method = "", target = ""] = line.split(" ");
  const [path = "", ...rest] = target
    .replace(/^http:\/\/[^/?#]*/, "")
    .replace(/#.*/, "")
    .split("?");
  const query = plainQuery(rest.join("?"));
  const [, id, verb] = /^\/reservations\/([^/]*)(\/renew)?$/.exec(path) ?? [];
  const params = id === undefined ? undefined : { reservation_id: segment(id) };
  if (method === "POST" && path === "/route") return { id: "route", params: {}, query };
  if (method === "GET" && path === "/decisions") return { id: "list", params: {}, query };
  if (params?.reservation_id === undefined) return undefined;
  const reservation = { reservation_id: params.reservation_id };
  if (method === "POST" && verb !== undefined) return { id: "renew", params: reservation, query };
  return method === "DELETE" && verb === undefined ? { id: "release", params: reservation, query } : undefined;
}

/** A part of a path, decoded; undefined when it is no valid one, or longer than any id. */
function segment(text: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(text) || text.length > 1_024) return undefined;
  const bytes = text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(Buffer.from(bytes, "latin1"));
  } catch {
    return undefined;
  }
}

/** Whether nothing about it may be refused: the others are, or are not, for reasons of their own. */
function isPlain({ line, headers, body }: ParsedMessage): boolean {
  const odd = ["expect", "content-encoding", "upgrade", "te", "trailer"];
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return (
    /^[\x20-\x7e]+ HTTP\/1\.1$/.test(line) &&
    !headers.some(([name]) => odd.includes(name)) &&
    bytes < 4_000 &&
    body.length <= maxBodyBytes
  );
}
