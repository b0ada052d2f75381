import { describe, expect, it } from "vitest";
import { checkForwarded } from "../../fuzz/targets/http/forwarded-requests.ts";
import type { ParsedMessage } from "../../fuzz/targets/http/strict-parser.ts";

function post(body: string, headers: ParsedMessage["headers"] = []): ParsedMessage {
  return { line: "POST /a HTTP/1.1", headers, body: Buffer.from(body), end: 0 };
}

describe("holding what a worker got against what a client sent", () => {
  it("takes pipelined requests in any order: each may reach the worker on a connection of its own", () => {
    checkForwarded([post("1"), post("2"), post("3")], [post("3"), post("1"), post("2")], "none");
  });

  it("finds for each another one, whichever of equal ones it is looked at first", () => {
    const nominating = post("1", [
      ["connection", "x-hop"],
      ["x-hop", "1"],
    ]);
    const plain = post("1", [["x-hop", "1"]]);
    checkForwarded([nominating, plain], [post("1"), post("1", [["x-hop", "1"]])], "none");
    expect(() => checkForwarded([nominating], [post("1", [["x-hop", "1"]])], "none")).toThrow("no client sent");
  });

  it("refuses one that was not sent, and one that came twice", () => {
    expect(() => checkForwarded([post("1")], [post("2")], "none")).toThrow("a worker got what no client sent (none)");
    expect(() => checkForwarded([post("1")], [post("1"), post("1")], "none")).toThrow("no client sent");
  });

  it.each([
    { what: "another method", sent: post("1"), seen: { ...post("1"), line: "PUT /a HTTP/1.1" } },
    { what: "a line lost", sent: post("1", [["x-a", "1"]]), seen: post("1") },
    { what: "a line changed", sent: post("1", [["x-a", "1"]]), seen: post("1", [["x-a", "2"]]) },
  ])("refuses $what", ({ sent, seen }) => {
    expect(() => checkForwarded([sent], [seen], "none")).toThrow("no client sent");
  });

  it("refuses that a plain chat did not arrive, and lets one be refused that is not plain", () => {
    const chat = { ...post("{}", [["host", "a"]]), line: "POST /v1/chat/completions HTTP/1.1" };
    expect(() => checkForwarded([chat], [], "none")).toThrow("did not reach the worker");
    checkForwarded([chat], [], "a bare line end");
    checkForwarded([{ ...chat, headers: [["expect", "much"]] }], [], "none");
    checkForwarded([{ ...chat, body: Buffer.from("{") }], [], "none");
  });

  it.each(["x-gateway-destination-endpoint", "expect"])("refuses the header %s", (name) => {
    expect(() => checkForwarded([post("1")], [post("1", [[name, "a"]])], "none")).toThrow("reached a worker");
  });
});
