import type { Config } from "../config/index.ts";
import type * as consoleModule from "./console/index.ts";

type Module = typeof consoleModule;

/** The console of a picker; undefined where there is none. It is loaded here, and nowhere else: a picker without one does not know it. */
export async function consoleOf(
  ...parts: Parameters<Module["startConsole"]>
): Promise<Awaited<ReturnType<Module["startConsole"]>> | undefined> {
  const [{ config }] = parts;
  return isOff(config) ? undefined : (await import("./console/index.ts")).startConsole(...parts);
}

/** The same of several shards. */
export async function shardsConsoleOf(
  ...parts: Parameters<Module["startShardsConsole"]>
): Promise<Awaited<ReturnType<Module["startShardsConsole"]>> | undefined> {
  const [config] = parts;
  return isOff(config) ? undefined : (await import("./console/index.ts")).startShardsConsole(...parts);
}

function isOff({ admin }: Config): boolean {
  return admin.listen === "off";
}
