import type { Redis } from "ioredis";
import { dialRedis, type RedisPlace, type RedisSecrets } from "../redis/index.ts";
import type { QueueEnvironment } from "./queue-environment.ts";
import { blockSeconds } from "./result-reader.ts";

/** Pause before another connection is tried, ms. */
const retryMs = 250;

/** Reads lists that hold one result each, with a connection for each that is waited for. Connections are used again. */
export class RequestLists {
  readonly #dial: () => Promise<Redis>;
  readonly #after: (delayMs: number, task: () => void) => () => void;
  readonly #idle: Redis[] = [];
  #isClosed = false;

  /** @param dial rejects when there is no connection to be had */
  constructor(dial: () => Promise<Redis>, after: (delayMs: number, task: () => void) => () => void) {
    this.#dial = dial;
    this.#after = after;
  }

  /** The result of a list, whenever it comes; undefined once the signal aborts. Never rejects. */
  async take(list: string, signal: AbortSignal): Promise<string | undefined> {
    while (!signal.aborted) {
      const client = await this.#client();
      if (client === undefined) {
        await this.#pause(signal);
        continue;
      }
      const disconnect = () => client.disconnect();
      signal.addEventListener("abort", disconnect, { once: true });
      const reply = await client.brpop(list, blockSeconds).catch(() => undefined);
      signal.removeEventListener("abort", disconnect);
      if (reply === undefined) client.disconnect();
      else this.#keep(client);
      if (reply != null) return reply[1];
      if (reply === undefined && !signal.aborted) await this.#pause(signal);
    }
    return undefined;
  }

  close(): void {
    this.#isClosed = true;
    for (const client of this.#idle.splice(0)) client.disconnect();
  }

  async #client(): Promise<Redis | undefined> {
    for (let client = this.#idle.pop(); client !== undefined; client = this.#idle.pop()) {
      if (client.status === "ready") return client;
      client.disconnect();
    }
    return this.#dial().catch(() => undefined);
  }

  #keep(client: Redis): void {
    if (this.#isClosed) client.disconnect();
    else this.#idle.push(client);
  }

  #pause(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = this.#after(retryMs, end);
      signal.addEventListener("abort", end, { once: true });
    });
  }
}

/** Lists of a server, each read by a connection that is made when it is needed. */
export function dialedLists(place: RedisPlace, secrets: RedisSecrets, { after }: QueueEnvironment): RequestLists {
  const dial = async () => {
    const client = dialRedis(place, await secrets());
    // Told by the command that fails.
    client.on("error", () => undefined);
    try {
      await client.connect();
    } catch (cause) {
      client.disconnect();
      throw cause;
    }
    return client;
  };
  return new RequestLists(dial, after);
}
