import { describe, expect, it } from "vitest";
import { RoutingError } from "../../../src/errors/index.ts";
import { createLogger, type Logger, type LoggerOptions } from "../../../src/telemetry/index.ts";

function written(options: LoggerOptions, write: (log: Logger) => void): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  write(createLogger(options, { write: (line) => void lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("createLogger", () => {
  it("writes one object a line: level, time, fields, message", () => {
    const [line] = written({ fields: { service: "pointsman" } }, (log) => log.info({ worker: "w0" }, "picked"));
    expect(line).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      service: "pointsman",
      worker: "w0",
      msg: "picked",
    });
  });

  it("writes nothing below its level", () => {
    expect(written({ level: "warn" }, (log) => log.info("a"))).toEqual([]);
    expect(written({ level: "silent" }, (log) => log.fatal("a"))).toEqual([]);
  });

  it("binds fields to a child", () => {
    const [line] = written({}, (log) => log.child({ requestId: "r1" }).info("a"));
    expect(line).toMatchObject({ requestId: "r1" });
  });

  it.each([
    ["a header", { headers: { authorization: "Bearer secret", "x-api-key": "secret" } }],
    ["a field", { authorization: "secret" }],
    ["a request", { request: { headers: { cookie: "secret", "proxy-authorization": "secret" } } }],
    ["a body", { body: "secret" }],
    ["parsed messages", { chat: { messages: [{ content: "secret" }] } }],
    ["tokens", { tokenized: { tokenIds: ["secret"] }, token_data: ["secret"] }],
    ["a prompt", { prompt: "secret", parsed: { prompt: "secret" } }],
  ])("never writes %s", (_, fields) => {
    const lines = written({}, (log) => log.info(fields, "a"));
    expect(JSON.stringify(lines)).not.toContain("secret");
    expect(JSON.stringify(lines)).toContain("[redacted]");
  });

  it("writes an error's code and cause", () => {
    const cause = Object.assign(new Error("connect failed"), { code: "ECONNREFUSED", config: { secret: "secret" } });
    const err = new RoutingError("no worker answers", { code: "no_endpoints", field: "model", cause });
    const [line] = written({}, (log) => log.warn({ err }, "failed"));
    expect(line?.["err"]).toEqual({
      type: "RoutingError",
      message: "no worker answers",
      code: "no_endpoints",
      field: "model",
      cause: { type: "Error", message: "connect failed", code: "ECONNREFUSED", stack: expect.stringContaining("at ") },
    });
    expect(JSON.stringify(line)).not.toContain("secret");
  });
});
