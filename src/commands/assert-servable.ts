import { type Config, ConfigError, isInKubernetes } from "../config/index.ts";
import { hasRouteApi } from "./modes.ts";

/** @throws ConfigError when no request could ever be served: there are no workers, and nobody can register one */
export function assertServable(config: Config): void {
  if (config.workers.length > 0 || isInKubernetes(config) || hasRouteApi(config)) return;
  throw new ConfigError(["workers: none is configured, nothing could be served"]);
}
