import { once } from "node:events";
import { createServer, type Server } from "node:http";

// What the peer reads of an engine; it sends nothing to one whose metrics it cannot read.
const metrics = `vllm:num_requests_running{model_name="sim-model"} 0
vllm:num_requests_waiting{model_name="sim-model"} 0
vllm:kv_cache_usage_perc{model_name="sim-model"} 0
vllm:cache_config_info{block_size="16",num_gpu_blocks="8192"} 1
`;

/** Endpoints that answer /metrics as idle engines do, and nothing else. */
export class IdleEndpoints {
  readonly ports: readonly number[];
  readonly #servers: readonly Server[];

  private constructor(servers: readonly Server[]) {
    this.#servers = servers;
    this.ports = servers.map(portOf);
  }

  static async start(count: number): Promise<IdleEndpoints> {
    const servers = Array.from({ length: count }, () => createServer(answer));
    await Promise.all(servers.map((server) => once(server.listen(0, "127.0.0.1"), "listening")));
    return new IdleEndpoints(servers);
  }

  stop(): void {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}

function answer(request: { url?: string | undefined }, response: import("node:http").ServerResponse): void {
  if (request.url !== "/metrics") response.statusCode = 404;
  response.setHeader("content-type", "text/plain; version=0.0.4");
  response.end(request.url === "/metrics" ? metrics : "");
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
}
