import type { Document } from "yaml";
import { type ConfigPatch, clusterPath, connectionManagerPath, drop, put, replace } from "../support/envoy-config.ts";
import { withWorkers } from "../support/envoy-patches.ts";

/** A second pool behind the same gateway, with a picker of its own. */
export interface SecondPool {
  readonly pickerPort: number;
  readonly pickerHealthPort: number;
  /** `host:port` of its workers. */
  readonly endpoints: readonly string[];
  /** Of 100; the first pool has the rest. */
  readonly weight: number;
}

const routePath = [...connectionManagerPath, "route_config", "virtual_hosts", 0, "routes", 0, "route"];

/**
 * What a gateway makes of an HTTPRoute with two weighted InferencePools: the filter talks to the picker of the pool that the route chose.
 */
export function withWeightedPools(pool: SecondPool): ConfigPatch {
  return (config) => {
    copyCluster(config, "picker", "picker-2");
    copyCluster(config, "workers", "workers-2");
    const picker = [
      ...clusterPath(config, "picker-2"),
      "load_assignment",
      "endpoints",
      0,
      "lb_endpoints",
      0,
      "endpoint",
    ];
    replace(config, [...picker, "address", "socket_address", "port_value"], pool.pickerPort);
    replace(config, [...picker, "health_check_config", "port_value"], pool.pickerHealthPort);
    withWorkers(pool.endpoints, "workers-2")(config);
    const perRoute = "type.googleapis.com/envoy.extensions.filters.http.ext_proc.v3.ExtProcPerRoute";
    const second = {
      "envoy.filters.http.ext_proc": {
        "@type": perRoute,
        overrides: { grpc_service: { envoy_grpc: { cluster_name: "picker-2" } } },
      },
    };
    drop(config, [...routePath, "cluster"]);
    put(config, [...routePath, "weighted_clusters"], {
      clusters: [
        { name: "workers", weight: 100 - pool.weight },
        { name: "workers-2", weight: pool.weight, typed_per_filter_config: second },
      ],
    });
  };
}

/** What a gateway makes of `appProtocol: kubernetes.io/h2c`: the pool is spoken to in HTTP/2 without TLS. */
export const withHttp2Workers: ConfigPatch = (config) => {
  put(config, [...clusterPath(config, "workers"), "typed_extension_protocol_options"], {
    "envoy.extensions.upstreams.http.v3.HttpProtocolOptions": {
      "@type": "type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions",
      explicit_http_config: { http2_protocol_options: {} },
    },
  });
};

function copyCluster(config: Document, name: string, copy: string): void {
  const cluster = { ...(config.getIn(clusterPath(config, name)) as { toJSON(): Record<string, unknown> }).toJSON() };
  const assignment = cluster["load_assignment"] as object;
  config.addIn(
    ["static_resources", "clusters"],
    config.createNode({ ...cluster, name: copy, load_assignment: { ...assignment, cluster_name: copy } }),
  );
}
