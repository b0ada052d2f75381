import { FakeWorker, type SeenRequest } from "./fake-worker.ts";
import { RunningProxy } from "./running-proxy.ts";

/** What a fleet of prefill and decode workers is made of. */
export interface PairSetup {
  readonly protocol: string;
  readonly prefill?: number;
  readonly decode?: number;
  readonly aggregated?: number;
  /** More members of every `handover` of a prefill or decode worker, as YAML. */
  readonly handover?: string;
  /** Likewise of the prefill workers' alone. */
  readonly prefillHandover?: string;
  /** More settings of each of those workers. */
  readonly worker?: string;
  /** More settings of the proxy's process, as YAML. */
  readonly settings?: string;
}

/** Fake workers of each role. */
export interface PairFleet {
  readonly prefill: readonly FakeWorker[];
  readonly decode: readonly FakeWorker[];
  readonly aggregated: readonly FakeWorker[];
  readonly proxy: RunningProxy;
}

/** Fleets of fake prefill and decode workers with a proxy before them, which one call closes. */
export class PairBench {
  readonly #open: { close(): Promise<void> }[] = [];

  async start(setup: PairSetup): Promise<PairFleet> {
    const { protocol, handover = "", prefillHandover = "", worker = "", settings = "" } = setup;
    const [prefill, decode, aggregated] = await Promise.all(
      [setup.prefill ?? 1, setup.decode ?? 1, setup.aggregated ?? 0].map((count) => this.#workers(count)),
    );
    const of = (workers: readonly FakeWorker[] | undefined, text: string) =>
      (workers ?? []).map(({ endpoint }) => ({ endpoint, settings: text }));
    const own = (role: string, more: string) =>
      `role: ${role}, handover: { protocol: ${protocol}${join(handover)}${join(more)} }${join(worker)}`;
    const proxy = await RunningProxy.start({
      workers: [
        ...of(prefill, own("prefill", prefillHandover)),
        ...of(decode, own("decode", "")),
        ...of(aggregated, "role: aggregated"),
      ],
      settings,
    });
    this.#open.push(proxy);
    return { prefill: prefill ?? [], decode: decode ?? [], aggregated: aggregated ?? [], proxy };
  }

  /** Closes what was started, the last first. */
  async close(): Promise<void> {
    for (const each of this.#open.splice(0).reverse()) await each.close();
  }

  async #workers(count: number): Promise<FakeWorker[]> {
    const workers = await Promise.all(Array.from({ length: count }, () => FakeWorker.start()));
    this.#open.push(...workers);
    return workers;
  }
}

function join(members: string): string {
  return members === "" ? "" : `, ${members}`;
}

/** The only request that a worker got. */
export function onlyRequest(worker: FakeWorker | undefined): SeenRequest {
  const [request, ...more] = worker?.seen ?? [];
  if (request === undefined || more.length > 0) throw new Error(`the worker got ${worker?.seen.length} requests`);
  return request;
}
