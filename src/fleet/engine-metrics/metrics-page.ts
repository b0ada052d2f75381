import type { IncomingMessage } from "node:http";
import { WorkerGets, type WorkerTlsOf } from "../worker-tls.ts";

/** Fetches engines' metrics pages. */
export interface MetricsPages {
  /** Resolves with the text. Rejects when it is not 200, longer than `maxBytes`, or `signal` aborts. */
  fetch(endpoint: string, path: string, maxBytes: number, signal: AbortSignal): Promise<string>;
  /** Closes idle connections. */
  close(): void;
}

/** Fetches over kept-alive HTTP connections, one a worker. */
export class HttpMetricsPages implements MetricsPages {
  readonly #gets: WorkerGets;

  /** @param tlsOf default: pages are had by HTTP */
  constructor(tlsOf: WorkerTlsOf = () => undefined) {
    this.#gets = new WorkerGets(tlsOf);
  }

  fetch(endpoint: string, path: string, maxBytes: number, signal: AbortSignal): Promise<string> {
    return new Promise((resolve, reject) => {
      const request = this.#gets.get(endpoint, path, signal, (response) => {
        if (response.statusCode === 200) {
          gather(response, maxBytes).then(resolve, reject);
          return;
        }
        response.resume();
        reject(new Error(`${path} answered ${response.statusCode}`));
      });
      request.on("error", reject);
    });
  }

  close(): void {
    this.#gets.close();
  }
}

async function gather(response: IncomingMessage, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new Error(`the page is longer than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
