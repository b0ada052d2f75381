import { type ConfigPatch, clusterPath, put } from "../../e2e/support/envoy-config.ts";

/** One more picker in Envoy's cluster of them, and more time for connections: a TLS handshake with a process that collects its garbage on a busy machine takes long. */
export function withSecondPicker(port: number, healthPort: number): ConfigPatch {
  return (config) => {
    const endpoint = {
      address: { socket_address: { address: "127.0.0.1", port_value: port } },
      health_check_config: { port_value: healthPort },
    };
    put(config, [...clusterPath(config, "picker"), "connect_timeout"], "10s");
    put(config, [...clusterPath(config, "picker"), "load_assignment", "endpoints", 0, "lb_endpoints", 1], { endpoint });
  };
}
