import { type ConfigPatch, clusterPath, envoyConfig, put } from "../../e2e/support/envoy-config.ts";
import {
  failingOpen,
  fastHealthChecks,
  onPorts,
  requestsPerConnection,
  streamsPerConnection,
  withWorkers,
} from "../../e2e/support/envoy-patches.ts";
import type { SoakPorts } from "./soak-ports.ts";

/** Envoy's configuration, as text: before two pickers. @param endpoints of all workers that there may ever be */
export function gatewayConfig(ports: SoakPorts, endpoints: readonly string[]): string {
  const { gateway, admin } = ports;
  return envoyConfig({ bodies: "full-duplex", hosts: "override-host" }, [
    onPorts({ gateway, admin, picker: ports.pickerA, pickerHealth: ports.healthA }),
    withSecondPicker(ports.pickerB, ports.healthB),
    withWorkers(endpoints),
    failingOpen(false),
    streamsPerConnection(4),
    requestsPerConnection(100),
    fastHealthChecks,
  ]);
}

/** One more picker in Envoy's cluster of them, and more time for connections: a TLS handshake with a process that collects its garbage on a busy machine takes long. */
function withSecondPicker(port: number, healthPort: number): ConfigPatch {
  return (config) => {
    const endpoint = {
      address: { socket_address: { address: "127.0.0.1", port_value: port } },
      health_check_config: { port_value: healthPort },
    };
    put(config, [...clusterPath(config, "picker"), "connect_timeout"], "10s");
    put(config, [...clusterPath(config, "picker"), "load_assignment", "endpoints", 0, "lb_endpoints", 1], { endpoint });
  };
}
