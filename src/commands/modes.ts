import type { Config } from "../config/index.ts";

/** Every mode of the deployment. */
export function modesOf({ mode, mixedModes }: Config): readonly Config["mode"][] {
  return [mode, ...mixedModes];
}

/** Whether callers may register workers: then none has to be configured. */
export function hasRouteApi(config: Config): boolean {
  const modes = modesOf(config);
  return modes.includes("query") || modes.includes("reserve");
}
