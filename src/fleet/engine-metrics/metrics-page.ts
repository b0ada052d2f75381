import { Agent, get, type IncomingMessage } from "node:http";
import { parseEndpoint } from "../endpoint.ts";

/** Fetches engines' metrics pages. */
export interface MetricsPages {
  /** Resolves with the text. Rejects when it is not 200, longer than `maxBytes`, or `signal` aborts. */
  fetch(endpoint: string, path: string, maxBytes: number, signal: AbortSignal): Promise<string>;
  /** Closes idle connections. */
  close(): void;
}

/** Fetches over kept-alive HTTP connections, one a worker. */
export class HttpMetricsPages implements MetricsPages {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  fetch(endpoint: string, path: string, maxBytes: number, signal: AbortSignal): Promise<string> {
    const { host, port } = parseEndpoint(endpoint) ?? {};
    return new Promise((resolve, reject) => {
      const request = get({ agent: this.#agent, host, port, path, signal }, (response) => {
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
    this.#agent.destroy();
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
