import { describe, expect, it } from "vitest";
import { messageOf } from "./fixtures.ts";

const redis = "redis: { url: 'redis://r:6379' }";
const sha256 = "a".repeat(64);

describe("checks of the queue's front", () => {
  it.each([
    ["mode: queue", "queue.redis.url: needed in the mode queue"],
    ["mode: proxy\nmixedModes: [queue]", "queue.redis.url: needed in the mode queue"],
    [
      "mode: queue\nqueue: { redis: { sentinel: { addresses: ['s:26379'] } } }",
      "queue.redis.sentinel.name: needed with queue.redis.sentinel.addresses",
    ],
    [
      "queue: { redis: { url: 'rediss://r', tls: { certFile: c } } }",
      "queue.redis.tls.keyFile: certFile and keyFile are needed together",
    ],
    ["queue: { redis: { url: 'redis://user:secret@r' } }", "expected no user or password"],
    ["queue: { redis: { reconnectMinMs: 9, reconnectMaxMs: 8 } }", "queue.redis.reconnectMaxMs: expected at least"],
    ["queue: { maxBodyBytes: 2048, maxHeldBodyBytes: 2047 }", "queue.maxHeldBodyBytes: expected at least"],
    ["queue: { defaultTimeoutMs: 10, maxTimeoutMs: 9 }", "queue.maxTimeoutMs: expected at least"],
    ["queue: { defaultTimeoutMs: 10, deadlineMarginMs: 10 }", "queue.deadlineMarginMs: expected less than"],
    ["queue: { tls: { mode: files } }", "queue.tls.certFile: needed with queue.tls.mode files"],
    ["queue: { forwardHeaders: [x-llm-d-inference-fairness-id] }", "queue.forwardHeaders[0]: this header is"],
    ["queue: { forwardHeaders: [x-gateway-priority] }", "queue.forwardHeaders[0]: this header is"],
    ["queue: { forwardHeaders: [content-type] }", "queue.forwardHeaders[0]: this header is"],
    ["queue: { forwardHeaders: [X-Team] }", "queue.forwardHeaders[0]: expected the name of a header, in lower case"],
    [`queue: { apiKeys: [{ name: a, sha256: ${sha256}, tenant: 'a:b' }] }`, "queue.apiKeys[0].tenant: expected"],
    [
      `mode: queue\nmetrics: { listen: '127.0.0.1:8001' }\nqueue: { ${redis} }`,
      "metrics.listen: another listener has this address",
    ],
    [`mode: queue\nqueue: { ${redis} }`, "accepted"],
    ["mode: queue\nqueue: { redis: { sentinel: { name: g, addresses: ['s:26379'] } } }", "accepted"],
    ["queue: { forwardHeaders: [authorization] }", "accepted"],
  ])("%s: %s", (text, message) => {
    expect(messageOf(text)).toContain(message);
  });
});
