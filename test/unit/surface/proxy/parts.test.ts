import { describe, expect, it } from "vitest";
import { answerHead, ClientHeaders } from "../../../../src/surface/proxy/client-headers.ts";
import { ResponseId } from "../../../../src/surface/proxy/response-id.ts";
import { ResponseOwners } from "../../../../src/surface/proxy/response-owners.ts";
import { RetryBudget } from "../../../../src/surface/proxy/retry-budget.ts";
import { ServedPaths } from "../../../../src/surface/proxy/served-paths.ts";
import { previousResponseId } from "../../../../src/surface/proxy/stored-responses.ts";

describe("the headers of a request", () => {
  const rules = { trustsClient: false, forwardsCredentials: true };

  it("lose what belongs to the connection, and what a connection header names", () => {
    const raw = ["Host", "a", "Connection", "keep-alive, X-Hop", "X-Hop", "1", "TE", "trailers", "Upgrade", "h2c"];
    raw.push("Content-Length", "3", "Expect", "100-continue", "Proxy-Authorization", "x", "X-Kept", "2");
    expect(new ClientHeaders(raw, rules).forwarded([])).toEqual(["X-Kept", "2"]);
  });

  it("are replaced by the worker's own, whatever their case", () => {
    const headers = new ClientHeaders(["X-Request-Id", "", "x-a", "1"], rules);
    expect(headers.forwarded([["x-request-id", "new"]])).toEqual(["x-a", "1", "x-request-id", "new"]);
  });

  it("give the first value, all values, and none that chooses", () => {
    const headers = new ClientHeaders(
      ["X-Tenant-Id", "a", "x-tenant-id", "b", "x-llm-d-inference-objective", "c"],
      rules,
    );
    expect(headers.get("x-tenant-id")).toBe("a");
    expect(headers.getAll("x-tenant-id")).toEqual(["a", "b"]);
    expect(headers.get("x-llm-d-inference-objective")).toBeUndefined();
  });

  it("keep what chooses for clients that are trusted", () => {
    const headers = new ClientHeaders(["x-gateway-inference-objective", "c"], { ...rules, trustsClient: true });
    expect(headers.get("x-gateway-inference-objective")).toBe("c");
  });
});

describe("the head of an answer", () => {
  it("loses what belongs to the connection, and the worker's address", () => {
    const raw = [
      "Transfer-Encoding",
      "chunked",
      "Connection",
      "close",
      "Location",
      "http://10.0.0.1:80/v1/x?y",
      "A",
      "b",
    ];
    const head = answerHead(200, "OK", [...raw, "Content-Type", "Text/Event-Stream; charset=utf-8"], "10.0.0.1:80");
    expect(head.lines).toEqual(["Location", "/v1/x?y", "A", "b", "Content-Type", "Text/Event-Stream; charset=utf-8"]);
    expect(head.mediaType).toBe("text/event-stream");
  });
});

describe("RetryBudget", () => {
  it("allows a part of the requests", () => {
    const budget = new RetryBudget({ ratio: 0.25, perSecond: 0 }, () => 0);
    for (let i = 0; i < 8; i++) budget.earn();
    expect([budget.spend(), budget.spend(), budget.spend()]).toEqual([true, true, false]);
  });

  it("allows some in each second", () => {
    let nowMs = 0;
    const budget = new RetryBudget({ ratio: 0, perSecond: 2 }, () => nowMs);
    expect([budget.spend(), budget.spend(), budget.spend()]).toEqual([true, true, false]);
    nowMs = 500;
    expect([budget.spend(), budget.spend()]).toEqual([true, false]);
  });
});

describe("ResponseId", () => {
  it.each([
    ['{"id":"resp_1","object":"response"}', "resp_1"],
    ['event: response.created\ndata: {"type":"response.created","response":{"id" : "resp_2"}}\n\n', "resp_2"],
    ['{"text":"\\"id\\":\\"resp_x\\"","id":"resp_3"}', "resp_3"],
    ['{"error":{"message":"no"}}', undefined],
  ])("of %j is %j, in one piece or many", (text, id) => {
    for (const size of [1, 1_000]) {
      const finder = new ResponseId();
      for (let at = 0; at < text.length; at += size) finder.scan(Buffer.from(text.slice(at, at + size)));
      expect(finder.id).toBe(id);
    }
  });
});

describe("ResponseOwners", () => {
  it("forgets the oldest", () => {
    const owners = new ResponseOwners(2);
    for (const id of ["a", "b", "a", "c"]) owners.made(id, `worker of ${id}`);
    expect(["a", "b", "c"].map((id) => owners.ownerOf(id))).toEqual(["worker of a", undefined, "worker of c"]);
    owners.made("x".repeat(1_000), "w");
    expect(owners.size).toBe(2);
  });
});

describe("previousResponseId", () => {
  it.each([
    ['{"model":"m","previous_response_id":"resp_1"}', "resp_1"],
    ['{"previous_response_id":null}', undefined],
    ['{"previous_response_id":""}', undefined],
    ['{"input":"\\"previous_response_id\\":\\"resp_x\\""}', undefined],
    ['{"input":[{"previous_response_id":"resp_x"}]}', undefined],
    ['{"previous_response_id":"a","previous_response_id":"b"}', "b"],
    ["not JSON previous_response_id", undefined],
  ])("of %j is %j", async (body, id) => {
    expect(previousResponseId(Buffer.from(body))).toBe(id);
    // A long body is read in steps.
    const long = body.startsWith("{") ? `{"pad":"${"x".repeat(2_000_000)}",${body.slice(1)}` : body;
    expect(await previousResponseId(Buffer.from(long))).toBe(id);
  });
});

describe("ServedPaths", () => {
  const paths = new ServedPaths(["/pooling", "/v1/audio/*"]);

  it.each([
    ["POST", "/pooling", "forward"],
    ["GET", "/pooling", "forward"],
    ["POST", "/v1/audio/speech", "forward"],
    ["POST", "/v1/audio", "unknown"],
    ["POST", "/v1/audiox", "unknown"],
    ["HEAD", "/v1/models", "models"],
    ["POST", "/v1/models", "wrong-method"],
    ["GET", "/v1/models/org/name", "model"],
    ["POST", "/v1/responses/r/cancel", "stored-response"],
    ["GET", "/v1/responses/r/input_items", "stored-response"],
    ["DELETE", "/v1/responses/r/input_items", "wrong-method"],
    ["GET", "/v1/responses/r/other", "unknown"],
    ["GET", "/v1/responses/%E0%A4%A", "stored-response"],
  ])("%s %s is %s", (method, path, kind) => {
    expect(paths.routeOf(method, path).kind).toBe(kind);
  });
});
