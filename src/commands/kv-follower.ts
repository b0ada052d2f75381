import type { Config } from "../config/index.ts";
import type { WorkerRank } from "../fleet/index.ts";
import type { KvEventSample, Logger } from "../telemetry/index.ts";
import type { Core } from "./assemble.ts";

/** Follows the KV events of every worker in the catalogue. */
export class KvFollower {
  readonly size = 0;

  constructor(_core: Core, _options: Config["kvEvents"], _log: Logger) {}

  sampleOf(_rank: WorkerRank): KvEventSample | undefined {
    return undefined;
  }

  async close(): Promise<void> {}
}
