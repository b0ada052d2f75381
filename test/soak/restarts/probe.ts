import { until } from "../../e2e/support/until.ts";
import { readAnswer } from "../../support/load/index.ts";
import type { SoakClient } from "../load/client.ts";
import { Texts } from "../load/texts.ts";
import type { Stack } from "../stack.ts";
import { indexFaults } from "../support/index-check.ts";
import { engineModel } from "../support/settings.ts";

const blockSize = 16;

/** Asks something new by every way, and again: the second time the worker must have all of it. */
export class Probe {
  readonly #stack: Stack;
  readonly #client: SoakClient;
  readonly #texts: Texts;

  constructor(stack: Stack, client: SoakClient, random: () => number) {
    this.#stack = stack;
    this.#client = client;
    this.#texts = new Texts(random);
  }

  /** What is not found again, in words. Nothing else may be under way. */
  async faults(): Promise<readonly string[]> {
    const urls = [this.#stack.gatewayUrl, this.#stack.gatewayUrl, ...this.#stack.proxyUrls];
    const faults: string[] = [];
    const content = this.#texts.words(400);
    await this.#ask(urls[0] ?? "", content);
    const isTold = async () => (await indexFaults(this.#stack)).length === 0;
    await until(isTold, { what: "the events of one request", timeoutMs: 180_000 });
    for (const url of urls) {
      const { promptTokens, cachedTokens } = await this.#ask(url, content);
      // The last token is always computed.
      const most = Math.floor((promptTokens - 1) / blockSize) * blockSize;
      if (cachedTokens !== most)
        faults.push(`${url}: ${cachedTokens} tokens were cached of ${most} that a worker holds`);
    }
    return faults;
  }

  async #ask(url: string, content: string): Promise<{ readonly promptTokens: number; readonly cachedTokens: number }> {
    const body = JSON.stringify({ model: engineModel, messages: [{ role: "user", content }], max_tokens: 1 });
    const sending = { kind: "probe", way: "gateway", url: `${url}/v1/chat/completions`, body } as const;
    const { failure, text } = await this.#client.send(sending);
    if (failure !== undefined) throw new Error(`the probe failed: ${failure}`);
    const { promptTokens = 0, cachedTokens = 0 } = readAnswer("application/json", text);
    return { promptTokens, cachedTokens };
  }
}
