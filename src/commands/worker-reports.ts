import type { Catalogue, HealthProber } from "../fleet/index.ts";
import type { WorkerReports } from "../surface/proxy/index.ts";

/** What requests tell of workers goes to whoever keeps their health. */
export function workerReports(catalogue: Catalogue, prober: HealthProber | undefined): WorkerReports {
  const tell = (
    endpoint: string,
    report: (prober: HealthProber, worker: NonNullable<ReturnType<Catalogue["byEndpoint"]>>) => void,
  ) => {
    const worker = catalogue.byEndpoint(endpoint);
    if (worker !== undefined && prober !== undefined) report(prober, worker);
  };
  return {
    unreachable: (endpoint) => tell(endpoint, (to, worker) => to.reportFailure(worker)),
    failed: (endpoint) => tell(endpoint, (to, worker) => to.reportBadAnswer(worker)),
    answered: (endpoint) => tell(endpoint, (to, worker) => to.reportSuccess(worker)),
  };
}
