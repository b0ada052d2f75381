import { Agent, errors, request as send } from "undici";
import { joinUrl } from "./join-url.ts";
import type { Dispatched } from "./merge-policy.ts";
import { defaults, type PoolOptions } from "./options.ts";

/** The gateway's answer, or why there is none. */
export type Answer =
  | { readonly status: number; readonly body: string; readonly retryAfterS: number | undefined }
  | { readonly error: string; readonly isTimeout: boolean };

/** Go's client takes them from the request itself, whatever its headers say. */
const unsent = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "trailer",
  "connection",
  "keep-alive",
  "upgrade",
]);
const longestFairnessBytes = 256;

/** Sends requests to the inference gateway as the processor's HTTP client does. */
export class GatewayClient {
  // Deadlines end a request, nothing else.
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, connections: 256 });

  /** Never rejects. */
  async post(dispatched: Dispatched, pool: PoolOptions, signal: AbortSignal): Promise<Answer> {
    const { queue, request } = dispatched;
    const path = request.endpoint || queue.request_path_url || defaults.path;
    const url = joinUrl(queue.igw_base_url, path);
    try {
      const { statusCode, headers, body } = await send(url, {
        method: "POST",
        headers: headersOf(dispatched, pool),
        body: request.payload,
        signal,
        dispatcher: this.#agent,
      });
      const retryAfter = Number(headers["retry-after"]);
      return { status: statusCode, body: await body.text(), retryAfterS: retryAfter > 0 ? retryAfter : undefined };
    } catch (error) {
      const isTimeout = signal.aborted;
      return { error: `Post "${url}": ${isTimeout ? "context deadline exceeded" : reasonOf(error)}`, isTimeout };
    }
  }

  async close(): Promise<void> {
    await this.#agent.destroy();
  }
}

/** The message's headers beat the queue's; the tenant's and the lane's beat the message's. */
function headersOf({ queue, request, priority }: Dispatched, pool: PoolOptions): Record<string, string> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (queue.inference_objective) headers["x-gateway-inference-objective"] = queue.inference_objective;
  for (const [name, value] of Object.entries(request.headers)) {
    if (!unsent.has(name.toLowerCase())) headers[name.toLowerCase()] = value;
  }
  const tenant = request.metadata[pool.fairness_attribute ?? "userid"] ?? "";
  if (tenant !== "" && Buffer.byteLength(tenant) <= longestFairnessBytes) {
    headers[pool.fairness_header ?? "x-llm-d-inference-fairness-id"] = tenant;
  }
  if (priority !== undefined) headers["x-gateway-priority"] = `${priority}`;
  return headers;
}

function reasonOf(error: unknown): string {
  const { code = "", message } = error as NodeJS.ErrnoException;
  if (code === "ECONNREFUSED") return "dial tcp: connect: connection refused";
  if (code === "ECONNRESET") return "read: connection reset by peer";
  return error instanceof errors.SocketError ? "EOF" : message;
}
