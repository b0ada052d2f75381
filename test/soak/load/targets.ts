import { request } from "undici";
import type { Stack } from "../stack.ts";
import type { Targets } from "./mix.ts";
import type { Way } from "./outcome.ts";

/** Sends requests to what serves, and to the proxies in turn as a balancer does: to those alone whose health check says that they take requests. */
export class StackTargets implements Targets {
  readonly #stack: Stack;
  readonly #timer: NodeJS.Timeout;
  #healthy: readonly string[];
  #turn = 0;

  constructor(stack: Stack) {
    this.#stack = stack;
    this.#healthy = stack.proxyUrls;
    this.#timer = setInterval(() => void this.#look(), 250);
  }

  urlOf(way: Way): string {
    if (way === "gateway") return this.#stack.gatewayUrl;
    if (way === "route") return this.#stack.routeUrl;
    if (way === "queue") return this.#stack.queueUrl;
    const proxies = this.#healthy.length > 0 ? this.#healthy : this.#stack.proxyUrls;
    return proxies[this.#turn++ % proxies.length] ?? "";
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    const answers = await Promise.all(this.#stack.proxyUrls.map(isHealthy));
    this.#healthy = this.#stack.proxyUrls.filter((_, i) => answers[i]);
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const response = await request(`${url}/health`, { headersTimeout: 10_000 });
    await response.body.dump();
    return response.statusCode === 200;
  } catch {
    return false;
  }
}
