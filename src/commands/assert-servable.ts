import { type Config, ConfigError, isInKubernetes } from "../config/index.ts";
import { hasRouteApi, needsWorkers } from "./modes.ts";

/** @throws ConfigError when no request could ever be served: there are no workers, and nobody can register one */
export function assertServable(config: Config): void {
  if (config.workers.length > 0 || isInKubernetes(config) || hasRouteApi(config) || !needsWorkers(config)) return;
  throw new ConfigError(["workers: none is configured, nothing could be served"]);
}
