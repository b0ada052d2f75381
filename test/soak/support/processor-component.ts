import { fileURLToPath } from "node:url";
import type { ProcessorOptions } from "../../support/queue-processor/index.ts";
import { Component, nodeCommand } from "./component.ts";

const main = fileURLToPath(new URL("../../support/queue-processor/main.ts", import.meta.url));

/** The queue's processor, which sends what it takes to the gateway. */
export function processorComponent(redisPort: number, gatewayUrl: string): Component {
  const options: ProcessorOptions = {
    version: "v0.10",
    concurrency: 16,
    backoffBaseS: 0.2,
    transport: {
      url: `redis://127.0.0.1:${redisPort}`,
      poll_interval_ms: 100,
      claim_lease_ttl_seconds: 2,
      claim_reclaim_interval_ms: 500,
      queues: [{ queue_name: "request-sortedset", igw_base_url: gatewayUrl, request_path_url: "/v1/chat/completions" }],
    },
  };
  const isReady: () => Promise<boolean> = async () => processor.logged("ready").length > 0;
  const processor = new Component(nodeCommand("processor", [main, JSON.stringify(options)]), isReady);
  return processor;
}
