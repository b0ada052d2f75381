import { randomUUID } from "node:crypto";
import { Agent, request } from "undici";
import { readAnswer } from "../../support/load/index.ts";
import type { Outcome, Way } from "./outcome.ts";

/** One request, and what may come of it. */
export interface Sending {
  readonly kind: string;
  readonly way: Way;
  readonly url: string;
  /** Where to go when nobody listens there: nothing of the request has been sent then. */
  readonly otherUrl?: string;
  readonly body: string | Buffer;
  /** Default POST. */
  readonly method?: "POST" | "DELETE";
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses that are right. Default: 200 alone. */
  readonly statuses?: readonly number[];
  /** The client leaves after so many ms; whatever has come by then is right. */
  readonly leavesAfterMs?: number;
}

/** An outcome with what the client got. */
export interface Sent extends Outcome {
  readonly text: string;
}

/** Longest that any request of the load may take, in ms: one that takes longer has no proper end. */
const longestMs = 90_000;

/** Sends requests, reads their answers whole, and judges them. */
export class SoakClient {
  readonly #agent = new Agent({ connections: 48, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });

  /** Never rejects. */
  async send(sending: Sending): Promise<Sent> {
    const sent = await this.#sendOnce(sending);
    const { otherUrl, ...rest } = sending;
    return otherUrl !== undefined && sent.failure?.includes("ECONNREFUSED") === true
      ? await this.#sendOnce({ ...rest, url: otherUrl })
      : sent;
  }

  /** Ends all connections. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  async #sendOnce(sending: Sending): Promise<Sent> {
    const { kind, way, leavesAfterMs } = sending;
    const id = randomUUID();
    const startMs = performance.now();
    const left = new AbortController();
    const timer = setTimeout(() => left.abort(), leavesAfterMs ?? longestMs);
    try {
      const response = await request(sending.url, {
        method: sending.method ?? "POST",
        dispatcher: this.#agent,
        headers: { "content-type": "application/json", "x-request-id": id, ...sending.headers },
        body: sending.body,
        signal: left.signal,
      });
      const text = await response.body.text();
      const { statusCode: status, headers } = response;
      const worker = headers["x-sim-worker"];
      const common = { id, kind, way, startMs, endMs: performance.now(), status, text };
      const failure = failureOf(sending, status, String(headers["content-type"]), text);
      return { ...common, worker: typeof worker === "string" ? worker : undefined, failure };
    } catch (error) {
      const isWanted = left.signal.aborted && leavesAfterMs !== undefined;
      const reason = left.signal.aborted ? `no end within ${longestMs} ms` : describe(error);
      const failure = isWanted ? undefined : reason;
      return { id, kind, way, startMs, endMs: performance.now(), status: 0, worker: undefined, failure, text: "" };
    } finally {
      clearTimeout(timer);
    }
  }
}

function failureOf(sending: Sending, status: number, type: string, text: string): string | undefined {
  const { statuses = [200] } = sending;
  if (!statuses.includes(status)) return `status ${status}: ${text.slice(0, 300)}`;
  if (status !== 200 || sending.way === "route" || !sending.url.includes("/v1/")) return undefined;
  try {
    // Throws on a stream that has not ended, and on half a JSON text.
    if (!text.includes("event: message_stop")) readAnswer(type, text);
    return text.includes('"error":{') ? `an error within the stream: ${text.slice(-300)}` : undefined;
  } catch (error) {
    return `${describe(error)}: ...${text.slice(-200)}`;
  }
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { code?: string };
  return `${error.name}${code === undefined ? "" : ` ${code}`}: ${error.message}`;
}
