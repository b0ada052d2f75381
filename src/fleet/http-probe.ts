import { WorkerGets, type WorkerTlsOf } from "./worker-tls.ts";

/** Asks a worker whether it is healthy. */
export interface HealthProbe {
  /** Resolves when it is, rejects when it is not, does not answer, or `signal` aborts. */
  check(endpoint: string, path: string, signal: AbortSignal): Promise<void>;
  /** Closes idle connections. */
  close(): void;
}

/** Probes by HTTP GET over kept-alive connections: a whole answer with a 2xx status is healthy. */
export class HttpProbe implements HealthProbe {
  readonly #gets: WorkerGets;

  /** @param tlsOf default: workers speak HTTP */
  constructor(tlsOf: WorkerTlsOf = () => undefined) {
    this.#gets = new WorkerGets(tlsOf);
  }

  async check(endpoint: string, path: string, signal: AbortSignal): Promise<void> {
    try {
      await this.#get(endpoint, path, signal);
    } catch (cause) {
      // The worker may close a kept-alive connection at the instant it is used again; that says nothing of its health.
      if (!(cause instanceof StaleConnection)) throw cause;
      await this.#get(endpoint, path, signal);
    }
  }

  close(): void {
    this.#gets.close();
  }

  #get(endpoint: string, path: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const request = this.#gets.get(endpoint, path, signal, (response) => {
        const status = response.statusCode ?? 0;
        response.on("error", reject);
        response.on("end", () => {
          if (status >= 200 && status < 300) resolve();
          else reject(new Error(`${path} answered ${status}`));
        });
        response.resume();
      });
      request.on("error", (cause) => {
        reject(request.reusedSocket && !signal.aborted ? new StaleConnection("closed", { cause }) : cause);
      });
    });
  }
}

class StaleConnection extends Error {}
