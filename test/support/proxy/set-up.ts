import { FakeWorker } from "./fake-worker.ts";
import { type ProxySetup, RunningProxy } from "./running-proxy.ts";

/** Fake workers and a proxy before them, which one call closes. */
export class ProxyBench {
  readonly #open: { close(): Promise<void> }[] = [];

  /** @param count of workers */
  async start(
    count: number,
    setup: Omit<ProxySetup, "workers"> = {},
  ): Promise<{ readonly workers: FakeWorker[]; readonly worker: FakeWorker; readonly proxy: RunningProxy }> {
    const workers = await Promise.all(Array.from({ length: count }, () => FakeWorker.start()));
    this.#open.push(...workers);
    const proxy = await RunningProxy.start({ workers, ...setup });
    this.#open.push(proxy);
    return { workers, worker: workers[0] as FakeWorker, proxy };
  }

  /** Closes what was started, the last first. */
  async close(): Promise<void> {
    for (const each of this.#open.splice(0).reverse()) await each.close();
  }
}
