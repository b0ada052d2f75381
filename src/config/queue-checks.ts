import type { Report } from "./report.ts";
import type { Config } from "./schema.ts";

/** The checks of the queue's front that need more than one setting. */
export function checkQueue({ mode, mixedModes, queue }: Config, report: Report): void {
  const isServed = [mode, ...mixedModes].includes("queue");
  checkQueueRedis(queue.redis, isServed, report);
  const { maxBodyBytes, maxHeldBodyBytes, defaultTimeoutMs, maxTimeoutMs, deadlineMarginMs } = queue;
  if (maxHeldBodyBytes < maxBodyBytes) {
    report(["queue", "maxHeldBodyBytes"], `expected at least queue.maxBodyBytes (${maxBodyBytes})`, maxHeldBodyBytes);
  }
  if (maxTimeoutMs < defaultTimeoutMs) {
    const message = `expected at least queue.defaultTimeoutMs (${defaultTimeoutMs})`;
    report(["queue", "maxTimeoutMs"], message, maxTimeoutMs);
  }
  if (deadlineMarginMs >= defaultTimeoutMs) {
    const message = `expected less than queue.defaultTimeoutMs (${defaultTimeoutMs})`;
    report(["queue", "deadlineMarginMs"], message, deadlineMarginMs);
  }
}

function checkQueueRedis(redis: Config["queue"]["redis"], isServed: boolean, report: Report): void {
  const { url, sentinel, tls, reconnectMinMs, reconnectMaxMs } = redis;
  const path = ["queue", "redis"];
  if (isServed && url === undefined && sentinel.addresses.length === 0) {
    report([...path, "url"], "needed in the mode queue", url);
  }
  if (sentinel.addresses.length > 0 && sentinel.name === undefined) {
    report([...path, "sentinel", "name"], "needed with queue.redis.sentinel.addresses", sentinel.name);
  }
  if (reconnectMaxMs < reconnectMinMs) {
    const message = `expected at least queue.redis.reconnectMinMs (${reconnectMinMs})`;
    report([...path, "reconnectMaxMs"], message, reconnectMaxMs);
  }
  if (url?.startsWith("rediss:") === true && (tls.certFile === undefined) !== (tls.keyFile === undefined)) {
    const missing = tls.certFile === undefined ? "certFile" : "keyFile";
    report([...path, "tls", missing], "certFile and keyFile are needed together", undefined);
  }
}
