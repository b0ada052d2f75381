import type { Config } from "../config/index.ts";

/** Every mode of the deployment. */
export function modesOf({ mode, mixedModes }: Config): readonly Config["mode"][] {
  return [mode, ...mixedModes];
}

/** Whether any mode sends requests to workers; a queue's processor finds its own. */
export function needsWorkers(config: Config): boolean {
  return modesOf(config).some((mode) => mode !== "queue");
}

/** Whether callers may register workers: then none has to be configured. */
export function hasRouteApi(config: Config): boolean {
  const modes = modesOf(config);
  return modes.includes("query") || modes.includes("reserve");
}
