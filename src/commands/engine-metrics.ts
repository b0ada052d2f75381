import type { Config } from "../config/index.ts";
import { EnginePoller, HttpMetricsPages, type Worker, type WorkerTlsOf } from "../fleet/index.ts";
import type { Logger } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";

/** Reads the engines' own figures into the load view, and says when a page cannot be had; undefined = it is switched off. */
export function enginePoller(config: Config, core: Core, log: Logger, tlsOf: WorkerTlsOf): EnginePoller | undefined {
  const { enabled, path, intervalMs, timeoutMs, maxPageBytes } = config.fleet.engineMetrics;
  if (!enabled) return undefined;
  const missing = new WeakSet<Worker>();
  return new EnginePoller(
    core.catalogue,
    { path, intervalMs, timeoutMs, maxPageBytes },
    {
      observed: ({ slot, worker }, figures) => {
        const { totalKvBlocks } = worker;
        core.view.reported(slot, figures, { totalKvBlocks, blockSize: blockSizeOf(core, worker) });
        core.queue?.loadFell();
        if (missing.delete(worker)) log.info({ worker: worker.name }, "the engine's metrics can be read again");
      },
      missed: (worker, cause) => {
        if (missing.has(worker)) return;
        missing.add(worker);
        log.warn({ worker: worker.name, err: cause }, "the engine's metrics cannot be read; the last figures stand");
      },
    },
    { pages: new HttpMetricsPages(tlsOf) },
  );
}

/** Of the models that a worker serves: with KV events they have one block size, by the settings' check. */
function blockSizeOf({ models }: Core, worker: Worker): number {
  const served = models.values().find(({ name }) => worker.models.length === 0 || worker.models.includes(name));
  return served?.index.blockSize ?? 16;
}
