import { describe, expect, it } from "vitest";
import { requestApiFromPath } from "../../../src/api/index.ts";

describe("requestApiFromPath", () => {
  it.each([
    ["/v1/chat/completions", "chat"],
    ["/v1/completions", "completions"],
    ["/v1/responses", "responses"],
    ["/v1/responses?stream=true&a=%2F", "responses"],
    ["/v1/chat/completions?", "chat"],
    ["/v1/embeddings", "promptless"],
    ["/v1/rerank", "promptless"],
    ["/rerank", "promptless"],
    ["/v2/rerank", "promptless"],
    ["/v1/score", "promptless"],
    ["/score", "promptless"],
    ["/v1/models", "promptless"],
    ["/v1/models/meta-llama/Llama-3.1-8B", "promptless"],
    ["/tokenize", "promptless"],
    ["/detokenize", "promptless"],
    ["/v1/audio/transcriptions", "promptless"],
    ["/v1/images/generations", "promptless"],
    ["/v1/moderations", "promptless"],
    ["/pooling", "promptless"],
    ["/classify", "promptless"],
    ["/v1/files", "promptless"],
    ["/v1/batches/b1/cancel", "promptless"],
    ["/v1/messages", "messages"],
    ["/v1/messages?beta=true", "messages"],
    ["/v1/messages/", undefined],
    ["/v1/messages/batches", undefined],
    ["/v1/messages/count_tokens?beta=true", "promptless"],
    ["/v1/chat/completions/", undefined],
    ["/V1/chat/completions", undefined],
    ["/v1/chat%2Fcompletions", undefined],
    ["/openai/v1/chat/completions", undefined],
    ["/v1/chat/completions#x", undefined],
    ["/v1/embeddings/", undefined],
    ["/", undefined],
    ["", undefined],
    [undefined, undefined],
  ])("%s is %s", (path, api) => {
    expect(requestApiFromPath(path)).toBe(api);
  });
});
