import { describe, expect, it } from "vitest";
import { HttpError } from "../../../../src/http/index.ts";
import type { QueueResult } from "../../../../src/queue/index.ts";
import { resultAnswer } from "../../../../src/surface/queue/result-answer.ts";

function answerTo(parts: Partial<QueueResult>) {
  const nothing = { statusCode: undefined, errorCode: undefined, errorMessage: undefined, requestToken: undefined };
  try {
    const { status, contentType } = resultAnswer({ id: "r1", payload: "", ...nothing, ...parts });
    return `${status} ${contentType}`;
  } catch (error) {
    if (error instanceof HttpError) return `${error.status} ${error.code}: ${error.message}`;
    throw error;
  }
}

describe("a result with neither status nor code", () => {
  it.each([
    ["vLLM's error", '{"object":"error","message":"no such model","code":404}', "404 application/json"],
    ["an error in OpenAI's form with a status", '{"error":{"message":"x"},"code":503}', "503 application/json"],
    ["a shed request", '{"error": "Too Many Requests", "code": 429}', "429 gate_dropped: Too Many Requests"],
    [
      "an error that says no more",
      '{"error":"boom"}',
      "502 worker_failed: the queue's result is an error that says no more (request r1)",
    ],
    ["an answer that has a code of its own", '{"code":7,"choices":[]}', "200 application/json"],
    ["a text", "hello", "200 text/plain; charset=utf-8"],
    ["a list", "[1]", "200 application/json"],
    ["only space", " \n", "502 worker_failed: the queue's result is empty (request r1)"],
  ])("%s", (_what, payload, answer) => {
    expect(answerTo({ payload })).toBe(answer);
  });
});

describe("a result with a status", () => {
  it.each([
    [200, "200 application/json"],
    [302, "302 application/json"],
    [599, "599 application/json"],
    [199, "502 worker_failed: the queue's result has the status 199 (request r1)"],
    [600, "502 worker_failed: the queue's result has the status 600 (request r1)"],
  ])("of %i", (statusCode, answer) => {
    expect(answerTo({ statusCode, payload: "{}" })).toBe(answer);
  });
});

describe("an error of the inference", () => {
  it.each([
    ['Post "http://10.0.0.9": context deadline exceeded', "504 deadline_exceeded"],
    ["net/http: request canceled (Client.Timeout exceeded while awaiting headers)", "504 deadline_exceeded"],
    ["dial tcp 10.0.0.9:80: connect: connection refused", "502 worker_failed"],
  ])("%s", (errorMessage, answer) => {
    const told = answerTo({ errorCode: "INFERENCE_ERROR", errorMessage });
    expect(told.startsWith(answer)).toBe(true);
    expect(told).not.toContain("10.0.0.9");
  });
});
