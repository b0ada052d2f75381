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

  it.each(["x-gateway-destination-endpoint", "expect"])("refuses the header %s", (name) => {
    expect(() => checkForwarded([post("1")], [post("1", [[name, "a"]])], "none")).toThrow("reached a worker");
  });
});
