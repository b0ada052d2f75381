import { type Config, parseAddress } from "../config/index.ts";
import { ListenError } from "../errors/index.ts";
import { MetricsServer, type MetricsSource } from "../telemetry/index.ts";

/** Serves metrics as the settings say; undefined = nowhere. @throws ListenError */
export async function startMetrics({ metrics }: Config, source: MetricsSource): Promise<MetricsServer | undefined> {
  const { listen } = metrics;
  if (listen === "off") return undefined;
  try {
    return await MetricsServer.start(source, parseAddress(listen));
  } catch (cause) {
    throw new ListenError({ setting: "metrics.listen", address: listen }, { cause });
  }
}
