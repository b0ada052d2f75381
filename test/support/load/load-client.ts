import { Agent, type Dispatcher, request } from "undici";
import { type ReadAnswer, readAnswer } from "./answer-reader.ts";

/** One request to send. */
export interface LoadRequest {
  readonly path: string;
  readonly body: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What came of one request. Times are in ms from the sending. */
export interface LoadOutcome {
  /** HTTP status; 0 when none came. */
  readonly status: number;
  /** The simulated worker that answered (`x-sim-worker`). */
  readonly worker: string | undefined;
  readonly answer: ReadAnswer | undefined;
  /** When the first byte of the body came. */
  readonly firstByteMs: number | undefined;
  readonly totalMs: number;
  /** Why the request failed: no answer, a status that is not 2xx, or an answer that breaks off. */
  readonly failure: string | undefined;
}

/** Where a request goes, as `http://host:port`. Called once a request. */
export type ChooseOrigin = () => string;

/** Sends requests over kept-alive connections and reads their answers whole. */
export class LoadClient {
  readonly #chooseOrigin: ChooseOrigin;
  readonly #agent: Agent;

  /** @param connections most connections to one origin */
  constructor(chooseOrigin: ChooseOrigin, connections = 256) {
    this.#chooseOrigin = chooseOrigin;
    this.#agent = new Agent({ connections, pipelining: 1, bodyTimeout: 600_000, headersTimeout: 600_000 });
  }

  /** Sends one request. Rejects only with the signal's reason; everything else is in the outcome. */
  async send(load: LoadRequest, signal?: AbortSignal): Promise<LoadOutcome> {
    const startedAt = performance.now();
    try {
      const response = await this.#request(load, signal);
      return await readOutcome(response, startedAt);
    } catch (error) {
      signal?.throwIfAborted();
      return { ...noOutcome, totalMs: performance.now() - startedAt, failure: String(error) };
    }
  }

  /** Closes the connections. */
  async close(): Promise<void> {
    await this.#agent.destroy();
  }

  #request(load: LoadRequest, signal: AbortSignal | undefined): Promise<Dispatcher.ResponseData> {
    return request(`${this.#chooseOrigin()}${load.path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...load.headers },
      body: JSON.stringify(load.body),
      dispatcher: this.#agent,
      signal: signal ?? null,
    });
  }
}

const noOutcome = { status: 0, worker: undefined, answer: undefined, firstByteMs: undefined };

async function readOutcome(response: Dispatcher.ResponseData, startedAt: number): Promise<LoadOutcome> {
  const chunks: Buffer[] = [];
  let firstByteMs: number | undefined;
  let failure: string | undefined;
  let answer: ReadAnswer | undefined;
  try {
    for await (const chunk of response.body as AsyncIterable<Buffer>) {
      firstByteMs ??= performance.now() - startedAt;
      chunks.push(chunk);
    }
    const text = Buffer.concat(chunks).toString("utf8");
    if (response.statusCode >= 200 && response.statusCode < 300) {
      answer = readAnswer(String(response.headers["content-type"]), text);
    } else failure = `status ${response.statusCode}: ${text.slice(0, 300)}`;
  } catch (error) {
    failure = String(error);
  }
  const worker = response.headers["x-sim-worker"];
  return {
    status: response.statusCode,
    worker: typeof worker === "string" ? worker : undefined,
    answer,
    firstByteMs,
    totalMs: performance.now() - startedAt,
    failure,
  };
}
