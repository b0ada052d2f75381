import { describe, expect, it } from "vitest";
import { RoutingError, type RoutingErrorOptions } from "../../../../src/errors/index.ts";
import { errorDialectOf } from "../../../../src/http/index.ts";
import { errorAnswer, toRoutingError } from "../../../../src/surface/ext-proc/error-answer.ts";
import { errorOf, setHeaders } from "./messages.ts";

const answer = (options: RoutingErrorOptions) => errorAnswer(new RoutingError("text", options), 1);

describe("errorAnswer", () => {
  it.each([
    { code: "invalid_request", status: 400, type: "invalid_request_error" },
    { code: "unprocessable", status: 422, type: "invalid_request_error" },
    { code: "body_too_large", status: 413, type: "invalid_request_error" },
    { code: "unknown_model", status: 404, type: "invalid_request_error" },
    { code: "not_implemented", status: 501, type: "not_implemented_error" },
    { code: "saturated", status: 429, type: "rate_limit_error", retry: "1", reason: "rejected-saturated" },
    { code: "queue_timeout", status: 429, type: "rate_limit_error", retry: "1", reason: "rejected-ttl-expired" },
    { code: "evicted", status: 429, type: "rate_limit_error", retry: "1", reason: "evicted-priority" },
    {
      code: "no_endpoints",
      status: 503,
      type: "service_unavailable_error",
      retry: "1",
      reason: "rejected-no-endpoints",
    },
    { code: "not_ready", status: 503, type: "service_unavailable_error", retry: "1" },
    {
      code: "shutting_down",
      status: 503,
      type: "service_unavailable_error",
      retry: "1",
      reason: "rejected-shutting-down",
    },
    { code: "deadline_exceeded", status: 504, type: "timeout_error", reason: "rejected-ttl-expired" },
    { code: "internal", status: 500, type: "internal_server_error" },
  ] as const)("$code is $status", ({ code, status, type, ...rest }) => {
    const message = answer({ code });
    expect(message.immediate_response?.status.code).toBe(status);
    expect(errorOf(message)).toEqual({ message: "text", type, code, param: null });
    expect(setHeaders(message)).toEqual({
      "content-type": "application/json",
      ...("retry" in rest ? { "retry-after": rest.retry } : {}),
      ...("reason" in rest ? { "x-llm-d-request-dropped-reason": rest.reason } : {}),
    });
  });

  it.each([
    { path: "/v1/messages?beta=true", dialect: "anthropic" },
    { path: "/v1/messages/count_tokens", dialect: "anthropic" },
    { path: "/v1/messages/batches", dialect: "openai" },
    { path: "/v1/chat/completions", dialect: "openai" },
    { path: undefined, dialect: "openai" },
  ])("speaks $dialect on $path", ({ path, dialect }) => {
    expect(errorDialectOf(path)).toBe(dialect);
  });

  it.each([
    { code: "invalid_request", type: "invalid_request_error" },
    { code: "body_too_large", type: "request_too_large" },
    { code: "unknown_model", type: "not_found_error" },
    { code: "no_endpoints", type: "overloaded_error" },
    { code: "internal", type: "api_error" },
  ] as const)("$code is $type to Anthropic's clients", ({ code, type }) => {
    const message = errorAnswer(new RoutingError("text", { code }), 1, "anthropic");
    const body: unknown = JSON.parse(message.immediate_response?.body.toString() ?? "");
    expect(body).toEqual({ type: "error", error: { type, message: "text" } });
  });

  it("names the field at fault", () => {
    expect(errorOf(answer({ code: "invalid_request", field: "messages[2].role" }))).toMatchObject({
      param: "messages[2].role",
    });
  });

  it.each([
    { seconds: 0, header: "0" },
    { seconds: 0.2, header: "1" },
    { seconds: 7.1, header: "8" },
  ])("sends Retry-After as whole seconds: $seconds", ({ seconds, header }) => {
    expect(setHeaders(answer({ code: "saturated", retryAfterSeconds: seconds }))["retry-after"]).toBe(header);
  });

  it("does not tell the text of an unexpected error", () => {
    const cause = new TypeError("secret");
    const error = toRoutingError(cause);
    expect(error).toMatchObject({ code: "internal", cause });
    expect(errorAnswer(error, 1).immediate_response?.body.toString()).not.toContain("secret");
  });
});
